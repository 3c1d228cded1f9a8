#include "cli/report_html.h"

#include <fmt/format.h>

#include <algorithm>

#include "cli/output.h"

namespace gatefold::cli {
namespace {

constexpr const char* kStyle =
    "body{font:14px system-ui,sans-serif;margin:2em;color:#222}"
    "table{border-collapse:collapse}th,td{padding:.35em .8em;text-align:left;vertical-align:top}"
    "th{border-bottom:2px solid #888}tr+tr td{border-top:1px solid #ddd}"
    "td.n{text-align:right;font-variant-numeric:tabular-nums}code{font-size:12px}"
    ".bar{background:#e4e4e4;width:8em;height:.7em}.bar "
    "i{display:block;height:100%;background:#2a7}"
    ".stale{color:#999}";

/// Names come from a database that anyone may have written.
std::string escaped(const std::string& text) {
  std::string out;
  for (const char c : text) {
    switch (c) {
      case '&':
        out += "&amp;";
        break;
      case '<':
        out += "&lt;";
        break;
      case '>':
        out += "&gt;";
        break;
      case '"':
        out += "&quot;";
        break;
      default:
        out += c;
    }
  }
  return out;
}

std::string number(const std::string& text) { return "<td class=n>" + text + "</td>"; }

std::string efficiency_bar(std::optional<double> efficiency) {
  if (!efficiency) return "<td>-</td>";
  const double width = std::min(1.0, std::max(0.0, *efficiency)) * 100;
  return fmt::format("<td>{:.3f}<div class=bar><i style=\"width:{:.0f}%\"></i></div></td>",
                     *efficiency, width);
}

std::string html_row(const ReportCell& c) {
  const FfnSpec& ffn = c.key.ffn;
  return fmt::format(
      "<tr{}><td>{} {}{}</td><td>{}</td><td>{}</td>{}{}<td><code>{}</code><br>{}</td>{}"
      "<td><code>{}</code></td>{}{}{}{}{}<td>{}</td></tr>\n",
      c.stale || c.key.emulated ? " class=stale" : "", escaped(ffn.variant.name), ffn.shape.text(),
      additions(ffn), ffn.dtypes(), info(c.key.target).name, number(std::to_string(c.rows)),
      number(std::to_string(c.key.threads)), escaped(c.winner), escaped(c.origin),
      number(ms_text(c.median_ms, c.key.emulated)), escaped(c.runner_up),
      number(percent_text(c.margin_pct)), number(percent_text(c.joint_cost_pct)),
      number(ratio_text(c.speedup)), number(ratio_text(c.vs_unfused)), efficiency_bar(c.efficiency),
      escaped(c.bound));
}

}  // namespace

std::string report_html(const std::vector<ReportCell>& cells, const std::string& title) {
  std::string out = fmt::format(
      "<!doctype html>\n<html lang=en><meta charset=utf-8><title>{0}</title><style>{1}</style>\n"
      "<h1>{0}</h1>\n<p>The fastest configuration of each cell, from the final races. Margin: how "
      "much "
      "slower the runner-up was. Joint cost: how much slower this row count's best is under the "
      "packing "
      "that all share than under its own best one, as screened. Efficiency: roofline time / median "
      "time, weights cold.</p>\n"
      "<table>\n<tr><th>block<th>dtype<th>target<th>rows<th>threads<th>winner<th>median "
      "ms<th>runner-up"
      "<th>margin<th>joint cost<th>vs default<th>vs unfused<th>efficiency<th>bound</tr>\n",
      escaped(title), kStyle);
  for (const ReportCell& cell : cells) out += html_row(cell);
  out += "</table>\n";
  std::string cpu;
  for (const ReportCell& cell : cells) {
    const std::string where = (cell.key.emulated ? "an emulated " : "") + cell.key.cpu;
    if (where == cpu) continue;
    cpu = where;
    out += "<p>Measured on " + escaped(cpu) + ", " + escaped(cell.at) + ".</p>\n";
  }
  return out + "</html>\n";
}

}  // namespace gatefold::cli

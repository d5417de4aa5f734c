"""The style of a page: light and dark, on paper too, with the fonts of the reader's system."""

STYLE = """
:root { color-scheme: light dark; --bg: #f6f7f9; --card: #fff; --ink: #1b2430; --soft: #5b6776; --rule: #e3e7ec;
  --track: #edf0f4; --good: #0b7a4b; --good-bg: #e4f5ec; --bad: #b3261e; --bad-bg: #fdebea;
  --c0: #2f6fde; --c1: #0f9d76; --c2: #b7791f; --c3: #8250df; --c4: #c2317d; --c5: #0a8fa8; --c6: #d9472b;
  --c7: #74808f; }
@media (prefers-color-scheme: dark) { :root { --bg: #10151c; --card: #181f29; --ink: #e7ecf2; --soft: #9aa7b6;
  --rule: #2a3441; --track: #232c38; --good: #5fd6a0; --good-bg: #12311f; --bad: #ff8f85; --bad-bg: #3a1815;
  --c0: #6ea4ff; --c1: #45d0a5; --c2: #e5ae55; --c3: #b794f6; --c4: #f57ab4; --c5: #4cc6dd; --c6: #ff7d63;
  --c7: #8e9bab; } }
* { box-sizing: border-box; }
body { margin: 0; background: var(--bg); color: var(--ink); font: 15px/1.5 system-ui, "Segoe UI", Roboto,
  sans-serif; }
main { max-width: 1080px; margin: 0 auto; padding: 28px 20px 60px; }
h1 { font-size: 15px; font-weight: 600; color: var(--soft); margin: 0 0 10px; }
h2 { font-size: 18px; margin: 0 0 2px; } h3 { font-size: 14px; margin: 18px 0 6px; }
p { margin: 0 0 12px; } .soft { color: var(--soft); }
section { background: var(--card); border: 1px solid var(--rule); border-radius: 12px; padding: 20px 22px;
  margin: 16px 0; }
.verdict { border: 0; } .verdict b { display: block; font-size: 28px; line-height: 1.25; letter-spacing: -.01em; }
.good { background: var(--good-bg); } .good b { color: var(--good); } .bad { background: var(--bad-bg); } .bad
  b { color: var(--bad); }
.tiles { display: grid; grid-template-columns: repeat(auto-fit, minmax(140px, 1fr)); gap: 12px; margin: 16px 0; }
.tile { background: var(--card); border: 1px solid var(--rule); border-radius: 12px; padding: 12px 16px; color:
  var(--soft); font-size: 13px; }
.tile b { display: block; color: var(--ink); font-size: 22px; font-variant-numeric: tabular-nums; }
.bars { margin: 8px 0 12px; }
.bar { display: grid; grid-template-columns: minmax(100px, 25%) 1fr 245px; gap: 14px; align-items: center;
  padding: 3px 0; }
.label { overflow: hidden; text-overflow: ellipsis; white-space: nowrap; unicode-bidi: isolate; }
.value { text-align: right; color: var(--soft); font-size: 13px; font-variant-numeric: tabular-nums;
  white-space: nowrap; }
.track { display: flex; height: 16px; background: var(--track); border-radius: 4px; overflow: hidden; }
.track i { min-width: 2px; } .strip { display: block; width: 100%; height: 16px; background: var(--track);
  border-radius: 4px; }
.legend { display: flex; flex-wrap: wrap; gap: 4px 16px; font-size: 13px; color: var(--soft); }
.legend i { display: inline-block; width: 11px; height: 11px; border-radius: 3px; margin-right: 6px; }
.chart { width: 100%; height: auto; display: block; } .chart text { fill: var(--soft); font-size: 13px; }
.grid { stroke: var(--rule); } .area { opacity: .22; } .a0 { fill: var(--c0); } .a1 { fill: var(--c1); }
.line { fill: none; stroke-width: 1.8; } .l0 { stroke: var(--c0); } .l1 { stroke: var(--c1); }
.scroll { overflow-x: auto; } table { border-collapse: collapse; width: 100%; font-size: 13px; }
th { text-align: left; color: var(--soft); font-weight: 600; } th, td { padding: 6px 12px 6px 0; border-bottom:
  1px solid var(--rule); vertical-align: top; }
td { unicode-bidi: isolate; overflow-wrap: anywhere; } td.n { white-space: nowrap; font-variant-numeric:
  tabular-nums; }
@media (max-width: 640px) { .bar { grid-template-columns: minmax(45%, 1fr) auto; gap: 2px 14px; padding: 5px 0; }
  .bar .track, .bar .strip { grid-column: 1 / 3; grid-row: 2; } .value { white-space: normal; }
  .chart { min-width: 640px; } .chart text { font-size: 17px; } .tile b { font-size: 18px; } }
@media print { body { background: #fff; } section { break-inside: avoid; } }
"""

"""The page's style: light and dark, wide and narrow."""

STYLE = """\
:root { color-scheme: light dark; --paper: #fff; --ink: #1d1d1f; --faint: #5c5f66; --rule: #d9dce1;
  --shade: #f5f6f8; --link: #00598c; --warning: #a33b00; }
@media (prefers-color-scheme: dark) {
  :root { --paper: #17191c; --ink: #e6e6e6; --faint: #a3a9b2; --rule: #3a3f46; --shade: #1f2226;
    --link: #7cc4f0; --warning: #ffb068; }
}
* { box-sizing: border-box; }
body { margin: 0; background: var(--paper); color: var(--ink);
  font: 16px/1.5 system-ui, -apple-system, "Segoe UI", Roboto, "DejaVu Sans", sans-serif; }
main { max-width: 76rem; margin: 0 auto; padding: 1.5rem 1rem 4rem; }
h1 { font-size: 1.7rem; line-height: 1.2; }
h2 { font-size: 1.25rem; line-height: 1.3; margin: 3rem 0 .75rem; padding-top: .75rem;
  border-top: 1px solid var(--rule); }
p, main > section > ul, figcaption { max-width: 48rem; }
a { color: var(--link); }
nav ul { padding-left: 1.2rem; }
ul { padding-left: 1.2rem; }
li { margin: .2rem 0; overflow-wrap: anywhere; }
.scroll { overflow-x: auto; margin: 1.25rem 0; border: 1px solid var(--rule); border-radius: 6px; }
.scroll:focus-visible { outline: 2px solid var(--link); }
table { border-collapse: collapse; width: 100%; font-size: .875rem; line-height: 1.35;
  font-variant-numeric: tabular-nums; }
caption { text-align: left; font-weight: 600; padding: .6rem .75rem; }
th, td { padding: .4rem .75rem; text-align: right; vertical-align: top; white-space: nowrap;
  border-top: 1px solid var(--rule); }
thead th { background: var(--shade); font-weight: 600; vertical-align: bottom; }
th:first-child { text-align: left; position: sticky; left: 0; background: var(--paper); font-weight: 500; }
thead th:first-child { background: var(--shade); }
.control th, .control td { background: var(--shade); }
.small { color: var(--faint); font-size: .8rem; font-weight: 400; }
.outside { color: var(--warning); }
u { text-underline-offset: .2em; }
details { margin: .5rem 0; }
summary { cursor: pointer; padding: .25rem 0; }
figure { margin: 1.25rem 0; }
figure img { max-width: min(100%, 56rem); height: auto; display: block; }
figcaption { color: var(--faint); font-size: .875rem; margin-top: .5rem; }
@media (max-width: 40rem) {
  main { padding: 1rem .75rem 3rem; }
  th, td { padding: .35rem .5rem; }
  table { font-size: .8125rem; }
}
@media print { .scroll { overflow: visible; border: 0; } table { font-size: .7rem; } }
"""

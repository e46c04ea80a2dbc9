import { hash } from 'node:crypto';
import { Controller, Get, Header } from '@nestjs/common';

/** Colours have a contrast of 4.5 at least with what they stand on, in both schemes; borders of 3. */
const css = `:root {
  color-scheme: light dark;
  --paper: #f1f3f5; --card: #ffffff; --line: #868e96; --text: #212529; --dim: #495057;
  --accent: #3b5bdb; --accent-text: #ffffff; --bad: #c92a2a; --bad-paper: #fff5f5;
  --good: #2b8a3e; --good-paper: #ebfbee;
}
@media (prefers-color-scheme: dark) {
  :root {
    --paper: #1a1b1e; --card: #25262b; --line: #828488; --text: #e9ecef; --dim: #adb5bd;
    --accent: #91a7ff; --accent-text: #1a1b1e; --bad: #ffa8a8; --bad-paper: #3b2326;
    --good: #8ce99a; --good-paper: #1f3326;
  }
}
* { box-sizing: border-box; }
body {
  margin: 0; min-height: 100vh; display: grid; place-items: center; padding: 1.5rem 1rem;
  background: var(--paper); color: var(--text);
  font: 1rem/1.5 system-ui, -apple-system, "Segoe UI", Roboto, "Open Sans", sans-serif;
}
main {
  width: 100%; max-width: 25rem; padding: 2rem; background: var(--card);
  border-radius: .5rem; box-shadow: 0 1px 3px rgb(0 0 0 / .15), 0 10px 24px rgb(0 0 0 / .08);
}
.product { margin: 0 0 1.25rem; color: var(--accent); font-weight: 700; letter-spacing: .02em; }
h1 { margin: 0 0 .75rem; font-size: 1.5rem; line-height: 1.25; }
p { margin: 0 0 1rem; }
form { margin: 1.25rem 0 0; }
label { display: block; margin: 0 0 .25rem; font-weight: 600; }
fieldset { margin: 0 0 1rem; padding: 0; border: 0; }
legend { margin: 0 0 .5rem; padding: 0; font-weight: 600; }
label.choice { display: flex; gap: .625rem; padding: .25rem 0; font-weight: 400; overflow-wrap: anywhere; }
label.choice input { flex: none; width: 1.125rem; height: 1.125rem; margin: .1875rem 0 0; accent-color: var(--accent); }
.pair { display: flex; flex-wrap: wrap; gap: .25rem .75rem; align-items: center; margin: 0 0 .5rem; }
.pair label { flex: 1 1 auto; min-width: 0; margin: 0; font-weight: 400; overflow-wrap: anywhere; }
.pair select { flex: none; width: 9.5rem; margin: 0; }
@media (max-width: 26rem) { main { padding: 1.5rem 1.25rem; } }
.hint { margin: 0 0 .375rem; color: var(--dim); font-size: .875rem; }
input, select {
  display: block; width: 100%; margin: 0 0 1rem; padding: .5rem .75rem; font: inherit;
  color: inherit; background: var(--card); border: 1px solid var(--line); border-radius: .25rem;
}
input[aria-invalid="true"] { border-color: var(--bad); box-shadow: inset 0 0 0 1px var(--bad); }
button, .button {
  display: block; width: 100%; padding: .5625rem 1rem; font: inherit; font-weight: 600; cursor: pointer;
  color: var(--accent-text); background: var(--accent); border: 1px solid var(--accent); border-radius: .25rem;
}
a.button { text-align: center; text-decoration: none; }
button + button { margin-top: .75rem; }
button.quiet { color: var(--accent); background: transparent; }
button:hover, .button:hover { filter: brightness(1.08); }
:focus-visible { outline: 3px solid var(--accent); outline-offset: 2px; }
a { color: var(--accent); }
.more { margin: 1.25rem 0 0; }
.bad, .good { padding: .75rem 1rem; border-left: 4px solid; border-radius: .25rem; }
.bad { color: var(--bad); background: var(--bad-paper); border-color: var(--bad); }
.good { color: var(--good); background: var(--good-paper); border-color: var(--good); }
summary { cursor: pointer; color: var(--accent); }
dl { margin: 0 0 1rem; }
dt { color: var(--dim); font-size: .875rem; }
dd { margin: 0 0 .5rem; overflow-wrap: anywhere; }
ul { margin: 0 0 1rem; padding-left: 1.25rem; font-family: ui-monospace, monospace; }
`;

const path = '/pages.css';

/** The URL of the stylesheet, with a digest: a browser keeps it until it changes. */
export const stylesheetPath = `${path}?${hash('sha256', css, 'base64url').slice(0, 12)}`;

/** The stylesheet of all pages. */
@Controller(path)
export class StylesheetController {
  @Get()
  @Header('content-type', 'text/css; charset=utf-8')
  @Header('cache-control', 'public, max-age=31536000, immutable')
  read(): string {
    return css;
  }
}

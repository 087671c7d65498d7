// The page at `/api/docs`: the API explorer from our own origin, with the OpenAPI document.
import 'openapi-explorer/dist/browser/openapi-explorer.min.js';
import tokens from '../styles/tokens.css?inline';
import { applyTheme, readTheme } from '../ui/layout/theme.ts';
import around from './around.css?inline';
import inside from './inside.css?inline';

const ELEMENT = 'openapi-explorer';

applyTheme(readTheme());
document.adoptedStyleSheets.push(sheetOf(tokens), sheetOf(around));
addExplorerStyle(inside);

function sheetOf(css: string): CSSStyleSheet {
  const sheet = new CSSStyleSheet();
  sheet.replaceSync(css);
  return sheet;
}

/**
 * Appends a style sheet to the API explorer's shadow root, after the explorer's own sheets, so that
 * it overrides them.
 */
function addExplorerStyle(style: string): void {
  const sheet = sheetOf(style);
  void customElements.whenDefined(ELEMENT).then(() => {
    for (const { shadowRoot } of document.querySelectorAll(ELEMENT)) {
      shadowRoot?.adoptedStyleSheets.push(sheet);
    }
  });
}

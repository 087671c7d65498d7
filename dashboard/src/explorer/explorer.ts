// The page at /api/docs: the explorer's element, from our own origin, with the service's document.
import 'openapi-explorer/dist/browser/openapi-explorer.min.js';
import tokens from '../styles/tokens.css?inline';
import { applyTheme, readTheme } from '../ui/layout/theme.ts';
import { addExplorerStyle, sheetOf } from './add-explorer-style.ts';
import around from './around.css?inline';
import inside from './inside.css?inline';

applyTheme(readTheme());
document.adoptedStyleSheets.push(sheetOf(tokens), sheetOf(around));
addExplorerStyle(inside);

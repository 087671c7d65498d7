// The page at /api/docs: the explorer's element, from our own origin, over the service's document.
import 'openapi-explorer/dist/browser/openapi-explorer.min.js';
import tokens from '../styles/tokens.css?inline';
import { applyTheme, readTheme } from '../ui/layout/theme.ts';
import { COLOURS, PAGE_COLOURS } from './colours.ts';
import { addExplorerStyles, sheetOf } from './add-explorer-styles.ts';
import { NARROW } from './narrow.ts';

applyTheme(readTheme());
document.adoptedStyleSheets.push(sheetOf(tokens), sheetOf(PAGE_COLOURS));
addExplorerStyles(COLOURS, NARROW);

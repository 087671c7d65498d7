// The page at /api/docs: the explorer's element, from our own origin, over the service's document.
import 'openapi-explorer/dist/browser/openapi-explorer.min.js';
import { fitNarrowWindows } from './fit-narrow-windows.ts';

fitNarrowWindows();

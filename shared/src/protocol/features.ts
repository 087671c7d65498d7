/**
 * Says of a control plane that it shows `delta` to people. A runner that was not told so keeps its
 * live text to itself.
 */
export const LIVE_TEXT_FEATURE = 'live_text';

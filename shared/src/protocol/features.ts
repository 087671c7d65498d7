/**
 * Says of a control plane that it shows `delta` to people. A runner that was not told so keeps its
 * live text to itself.
 */
export const LIVE_TEXT_FEATURE = 'live_text';

/** Says of a runner that it answers the call `engine.test`. */
export const ENGINE_TEST_FEATURE = 'engine_test';

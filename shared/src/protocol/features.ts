/**
 * Says of a control plane that it shows `delta` to people. A runner that was not told so keeps its
 * live text to itself.
 */
export const LIVE_TEXT_FEATURE = 'live_text';

/**
 * Says of a control plane that it takes the `finish` of a lease that was lost, as long as nobody else
 * has come as far with the attempt. A runner that was not told so lets its work go with the lease.
 */
export const LATE_FINISH_FEATURE = 'late_finish';

/**
 * Says of a control plane that it asks no runner for an engine whose `state` says that it cannot be had
 * now. A runner that was not told so leaves such an engine out of its `hello`.
 */
export const AWAITED_ENGINE_FEATURE = 'awaited_engine';

/** Says of a runner that it runs the declared checks of a specification. */
export const CHECKS_FEATURE = 'checks';

/** Says of a runner that it answers the call `engine.test`. */
export const ENGINE_TEST_FEATURE = 'engine_test';

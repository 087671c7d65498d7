/**
 * Announced by a control plane that shows live text (`delta`) to people. Without this feature a
 * runner does not send live text.
 */
export const LIVE_TEXT_FEATURE = 'live_text';

/**
 * Announced by a control plane that accepts a `finish` after its lease has expired, unless another
 * runner has meanwhile progressed as far with the attempt. Without this feature a runner discards
 * its work when the lease is lost.
 */
export const LATE_FINISH_FEATURE = 'late_finish';

/**
 * Announced by a control plane that dispatches no work to an engine with the `state` `fetching` or
 * `failed`. Without this feature a runner leaves such an engine out of its `hello`.
 */
export const AWAITED_ENGINE_FEATURE = 'awaited_engine';

/** Announced by a runner that runs the declared checks of a specification. */
export const CHECKS_FEATURE = 'checks';

/** Announced by a runner that merges and tests a branch as a specification's `merge` says. */
export const MERGE_FEATURE = 'merge';

/**
 * Announced by a runner that begins a review only at exactly the commit of a specification's
 * `review`.
 */
export const REVIEW_FEATURE = 'review';

/** Announced by a runner that answers the call `engine.test`. */
export const ENGINE_TEST_FEATURE = 'engine_test';

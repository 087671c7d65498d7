/** Rounds of review that go back to the author's agent, unless the policy says otherwise. */
export const DEFAULT_REVIEW_ROUNDS = 2;
export const MAX_REVIEW_ROUNDS = 10;

/** One broken rule, in words that say where and what. */
export type Violation = { rule: string; path: string; message: string };

/** No property of the product: something in the simulation threw. */
export const SIMULATION_RUNS = 'the simulation itself runs';

export type Violation = { invariant: string; detail: string; atMs: number };

/** Told of a thing that must not be. */
export type Fail = (invariant: string, detail: string) => void;

/** Looks at the rows beside what goes on; nothing waits for it. */
export function probeBeside(fail: Fail, look: () => Promise<void>): void {
  look().catch((error: unknown) => {
    // The file is closed under a look when its instance is killed at that very moment.
    if (!/closed/i.test(String(error))) fail('the checker can look', String(error));
  });
}

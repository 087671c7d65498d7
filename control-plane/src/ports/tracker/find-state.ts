/** State names are compared without case and outer blanks: people type them into configuration. */
export function normaliseState(name: string): string {
  return name.trim().toLowerCase();
}

/** The name in `states` that `wanted` means, in its own spelling. */
export function findState<Name extends string>(
  states: readonly Name[],
  wanted: string,
): Name | undefined {
  const key = normaliseState(wanted);
  return states.find((state) => normaliseState(state) === key);
}

/** Whether `state` is one of `states`. */
export function isOneOf(state: string, states: readonly string[]): boolean {
  return findState(states, state) !== undefined;
}

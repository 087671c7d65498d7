/**
 * State names are compared without case and surrounding blanks, because people type them into the
 * configuration.
 */
export function normaliseState(name: string): string {
  return name.trim().toLowerCase();
}

/** The state that `wanted` names, in the spelling of `states`; undefined when there is none. */
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

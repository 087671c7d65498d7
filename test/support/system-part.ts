/** Something a machine may lack: `reason` says what was looked for and how to get it. */
export type SystemPart = { available: true; detail: string } | { available: false; reason: string };

/** Set where a missing part must fail the run instead of skipping tests, as .ci/run does. */
export function requiresAllParts(): boolean {
  return process.env.SWITCHYARD_REQUIRE_ALL === '1';
}

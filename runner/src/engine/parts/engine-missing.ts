/** An engine is not installed on this machine, or cannot run on it. */
export class EngineMissing extends Error {}

import type { CommandResult } from '../../../runner/src/container/container-engine.ts';
import { Journal, type JournalEntry } from '../../../runner/src/connection/journal/journal.ts';
import type { LeaseRef } from '../../../runner/src/connection/lease-ref.ts';

/** What comes of the declared checks of an attempt. */
export type CheckScript =
  | 'pass'
  /** Failing until the agent was told. */
  | 'mended'
  | 'failing'
  /** Each first run fails. */
  | 'flaky'
  | 'slow'
  /** Failing, and its runner takes it for passed. */
  | 'lying';

export const CHECK_SCRIPTS: Record<CheckScript, number> = {
  pass: 30,
  mended: 20,
  failing: 15,
  flaky: 10,
  slow: 5,
  lying: 20,
};

const SURE = { name: 'lint', command: 'make lint' };
const SCRIPTED = { name: 'test', command: 'make test' };
/** As declared for a repository. */
export const CHECKS = [SURE, SCRIPTED];

/** Runs of checks over all hosts. */
export class SimChecks {
  readonly #scriptOf: (attemptId: string) => CheckScript;
  readonly #runs = new Map<string, number>();

  constructor(scriptOf: (attemptId: string) => CheckScript) {
    this.#scriptOf = scriptOf;
  }

  /** How the next run of a command of an attempt ends. */
  run(attemptId: string, command: string): Pick<CommandResult, 'exitCode' | 'timedOut'> {
    if (command !== SCRIPTED.command) return { exitCode: 0, timedOut: false };
    const runs = (this.#runs.get(attemptId) ?? 0) + 1;
    this.#runs.set(attemptId, runs);
    const script = this.#scriptOf(attemptId);
    const fails =
      script === 'failing' ||
      script === 'lying' ||
      (script === 'mended' && runs <= 2) ||
      (script === 'flaky' && runs % 2 === 1);
    return { exitCode: fails ? 1 : 0, timedOut: script === 'slow' };
  }

  isLying(attemptId: string): boolean {
    return this.#scriptOf(attemptId) === 'lying';
  }
}

/** The journal of a runner that takes failed checks of some attempts for passed, whatever it told. */
export class LyingJournal extends Journal {
  readonly #isLying: (attemptId: string) => boolean;

  constructor(path: string, isLying: (attemptId: string) => boolean) {
    super(path);
    this.#isLying = isLying;
  }

  override get(ref: LeaseRef): JournalEntry | null {
    const entry = super.get(ref);
    const checks = entry?.progress.checks;
    if (entry === null || checks === undefined || !this.#isLying(ref.attemptId)) return entry;
    const results = checks.last?.results.map((one) => ({ ...one, outcome: 'passed' as const }));
    const last = checks.last && { ...checks.last, results: results ?? [] };
    return { ...entry, progress: { ...entry.progress, checks: { ...checks, last } } };
  }
}

/** A frame as a runner reads it that knows nothing of checks. */
export function withoutChecks(text: string): string {
  if (!text.includes('"checks"')) return text;
  const messages = JSON.parse(text) as { type: string; spec?: { checks?: unknown } }[];
  for (const { spec } of messages) delete spec?.checks;
  return JSON.stringify(messages);
}

import type { Offer } from './attempt-book.ts';
import type { Fail } from './violation.ts';

/** A plan of an attempt, as a person read it. */
export type ReadPlan = { identifier: string; number: number; text: string };

/** Follows which plans people approved, and that no work begins without one. */
export class PlanWatch {
  readonly #fail: Fail;
  /** Whether every issue of the world is planned before its work. */
  readonly #isOn: boolean;
  /** Texts of the plans that somebody approved, or may have, by issue. */
  readonly #approved = new Map<string, Set<string>>();
  readonly #newest = new Map<string, number>();

  constructor(fail: Fail, { isOn }: { isOn: boolean }) {
    this.#fail = fail;
    this.#isOn = isOn;
  }

  offered({ spec }: Offer): void {
    const { identifier } = spec.issue;
    this.#newest.set(identifier, Math.max(spec.number, this.#newest.get(identifier) ?? 0));
    if (!this.#isOn || spec.readOnly === true) return;
    const what = `${identifier} attempt ${spec.number}`;
    const plans = this.#approved.get(identifier);
    if (plans === undefined) this.#fail('no work begins before its plan is approved', what);
    else if (![...plans].some((text) => spec.prompt.includes(text)))
      this.#fail('work goes by the plan that was approved', what);
  }

  /** A person approves a plan; whether that counts is not known yet. */
  approves({ identifier, text }: ReadPlan): void {
    const plans = this.#approved.get(identifier) ?? new Set();
    this.#approved.set(identifier, plans.add(text));
  }

  /** Whether a later attempt had begun when a person read the plan. */
  isOver({ identifier, number }: ReadPlan): boolean {
    return (this.#newest.get(identifier) ?? 0) > number;
  }

  /** A decision counts although the issue had gone on before it was made. */
  decidedLate({ identifier, number }: ReadPlan): void {
    const what = `${identifier}: the plan of attempt ${number}`;
    this.#fail('a plan is decided only while its issue waits for that', what);
  }
}

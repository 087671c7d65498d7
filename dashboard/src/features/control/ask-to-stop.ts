import type { IssueRef } from './issue-ref.ts';
import { sharedValue } from '../../ui/shared-value.ts';

/** Issues with running agents and the target state of a move that would stop them. */
export type StopAsked = { issues: readonly IssueRef[]; to: string };

const asked = sharedValue<readonly StopAsked[]>([]);

/**
 * Asks a person whether a run may be stopped; issues with the same target state share one question.
 */
export function askToStop(issue: IssueRef, to: string): void {
  const known = asked.get().find((question) => question.to === to);
  if (known === undefined) return asked.set([...asked.get(), { issues: [issue], to }]);
  const others = known.issues.filter(({ identifier }) => identifier !== issue.identifier);
  const both = { issues: [...others, issue], to };
  asked.set(asked.get().map((question) => (question === known ? both : question)));
}

/** The open questions, the oldest first. */
export const useStopsAsked = asked.useValue;

/** Removes an answered question. */
export function stopAnswered(question: StopAsked): void {
  asked.set(asked.get().filter((one) => one !== question));
}

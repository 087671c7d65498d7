import type { Step as ScriptedStep } from '@switchyard/shared/host/scripted-model/step';

export type { AskedQuestion, Refusal, Usage } from '@switchyard/shared/host/scripted-model/step';

/** What a script has the provider do with one request; built by the functions below. */
export type Step = ScriptedStep;

/** The model writes a message; if it is the only output, the turn ends. */
export const say = (text: string): Step => ({ outputs: [{ type: 'message', text }] });

/** The model shows a summary of its thoughts. */
export const reason = (text: string): Step => ({ outputs: [{ type: 'reasoning', text }] });

/** The model runs a shell command; where the tool allows it, waits up to `yieldTimeMs` for its end. */
export const exec = (command: string, yieldTimeMs = 20_000): Step => ({
  outputs: [{ type: 'shell', command, yieldTimeMs }],
});

/** The model edits files; `patch` begins with `*** Begin Patch`. */
export const applyPatch = (patch: string): Step => ({ outputs: [{ type: 'patch', patch }] });

/** Several outputs in one answer, in order; later usage, pauses and endings win. */
export function together(...steps: Step[]): Step {
  const merged: Step = Object.assign({}, ...steps);
  return { ...merged, outputs: steps.flatMap((step) => step.outputs) };
}

import type { ProviderRequest } from '../../../control-plane/scripted-provider/provider-request.ts';
import { exec, say } from '../../../control-plane/scripted-provider/step.ts';
import { fail } from '../scripted-model/faults.ts';
import type { Step } from '../../../control-plane/scripted-provider/step.ts';

/** Commands that the agent runs for one issue, each of which writes a file. */
const STEPS = 4;

export type WorkPace = {
  /** How long the model thinks before each answer, milliseconds. */
  thinkMs: number;
  /** How long each command takes, seconds. */
  commandSeconds: number;
};

/** A few seconds of work in several calls. */
export const WORK_PACE: WorkPace = { thinkMs: 350, commandSeconds: 0.4 };

/** One call of an engine, as far as it shows who drove which issue. */
export type Driven = { work: number; receivedAtMs: number; threadId: string; lease: string | null };

export const workTitle = (work: number): string => `chaos-work-${work}-end: write the files`;

/** The model refuses its first call; after that the work goes as any other. */
export const failingWorkTitle = (work: number): string => `${workTitle(work)} chaos-fails-first`;

/** What the finished branch must hold, text by path. */
export function workFiles(work: number): Record<string, string> {
  const steps = Array.from({ length: STEPS }, (_, step) => step);
  return Object.fromEntries(steps.map((step) => [`work/${work}-${step}.txt`, `${work}-${step}`]));
}

/**
 * The model's side of the work: the same steps whoever drives them, so that repeating some is
 * harmless. Every call is noted, with the lease that the agent's own commands said they belong to.
 */
export function workScript(pace: WorkPace, driven: Driven[]): (request: ProviderRequest) => Step {
  const refused = new Set<number>();
  return (request) => {
    const prompt = request.userTexts.join('\n');
    const work = Number(/chaos-work-(\d+)-end/.exec(prompt)?.[1] ?? Number.NaN);
    if (prompt.includes('chaos-fails-first') && !refused.has(work)) {
      refused.add(work);
      return fail(400);
    }
    const { receivedAtMs, threadId, stepIndex } = request;
    driven.push({ work, receivedAtMs, threadId, lease: leaseOf(request) });
    const [path, text] = Object.entries(workFiles(work))[stepIndex] ?? [];
    if (path === undefined) return say(`All files are written.\n\nSWITCHYARD_STATUS: DONE`);
    const write = `mkdir -p work && printf '%s\\n' '${text}' > ${path}`;
    const command = `${write} && sleep ${pace.commandSeconds} && echo "lease=$SWITCHYARD_ATTEMPT;"`;
    return { ...exec(command), delayMs: pace.thinkMs };
  };
}

/** As the last command of this turn said it; null when none ran yet or it said nothing. */
function leaseOf({ stepIndex, toolOutputs }: ProviderRequest): string | null {
  if (stepIndex === 0) return null;
  return /lease=([A-Za-z0-9_-]+);/.exec(toolOutputs.at(-1) ?? '')?.[1] ?? null;
}

import { READS_ONLY, SCRIPTED_WORK } from '@switchyard/shared/model-providers/scripted-model';
import type { Step, StepOutput } from '@switchyard/shared/host/scripted-model/step';

/** The line that the script adds; a constant, so that nothing of an issue is repeated. */
const TRIAL_LINE =
  'Tried with the scripted model of Switchyard: no language model wrote this line.';

/** No tokens are used, so nothing is counted or costs anything. */
const NO_USAGE = { input: 0, cachedInput: 0, output: 0, reasoning: 0 };
/** Slow enough to follow in the log. */
const THINK_MS = 400;
const COMMAND_MS = 20_000;

const LOOK = 'ls -A | head -n 40';

/**
 * Shell command that adds TRIAL_LINE to the README once, with its own line ends. UTF-16, links and
 * read-only files are left alone; without a usable README it creates a file that git does not
 * ignore.
 */
const CHANGE = `line='${TRIAL_LINE}'
file=; how=changed
for name in README.md README.markdown README.rst README.adoc README.txt README Readme.md readme.md; do
  if [ ! -f "$name" ] || [ -L "$name" ] || [ ! -w "$name" ]; then continue; fi
  if [ "$(tr -dc '\\000' < "$name" | wc -c)" -eq 0 ]; then file=$name; break; fi
done
if [ -z "$file" ]; then
  how=created
  for name in README.md README.txt SWITCHYARD-TRIAL.md SWITCHYARD-TRIAL.txt; do
    if [ -e "$name" ] || [ -L "$name" ] || git check-ignore -q "$name"; then continue; fi
    file=$name; break
  done
fi
if [ -z "$file" ]; then echo 'no file to write to'; exit 1; fi
end='\\n'
if [ "$how" = changed ] && head -n 1 "$file" | grep -q "$(printf '\\r')\\$"; then end='\\r\\n'; fi
if [ "$how" = changed ] && grep -qF "$line" "$file"; then how=kept
else
  if [ "$how" = changed ] && [ -s "$file" ]; then
    if [ -n "$(tail -c 1 "$file")" ]; then printf "$end" >> "$file"; fi
    printf "$end" >> "$file"
  fi
  printf "%s$end" "$line" >> "$file"
fi
printf 'switchyard-trial: %s %s\\n' "$how" "$file"`;

const CHANGED = /^switchyard-trial: (?:created|changed|kept) ([\w.-]{1,40})\s*$/m;
const NOT_ASKED =
  'It did not read the issue and ran nothing of it. A real model would read the issue, look for what it is ' +
  'about in the code, change it, run the tests and say here what it did. Connect a model provider in ' +
  'the set-up to have that.';

type TrialRequest = {
  userTexts: readonly string[];
  /** Number of rounds of tool results in the present turn. */
  rounds: number;
  toolOutputs: readonly string[];
};

/**
 * The scripted model's next step: it lists files, adds a line and says that it is scripted, in at
 * most three responses to a turn. It depends only on the request, so that it continues in another
 * process.
 */
export function trialStep({ userTexts, rounds, toolOutputs }: TrialRequest): Step {
  // Without a request for an end marker there is no repository: an operator's question or a test.
  const asked = userTexts.findLast((text) => text.includes('SWITCHYARD_STATUS'));
  if (asked === undefined) return step(say(`ready. ${SCRIPTED_WORK}`));
  if (asked.includes(READS_ONLY)) return step(say(REPORT));
  if (rounds === 0) {
    const text = 'This is a scripted model. First it lists the files.';
    return step({ type: 'reasoning', text }, run(LOOK));
  }
  if (rounds === 1) {
    const text = 'Now it adds a harmless line to the README.';
    return step({ type: 'reasoning', text }, run(CHANGE));
  }
  const file = CHANGED.exec(toolOutputs.at(-1) ?? '')?.[1];
  return step(say(file === undefined ? failedText() : doneText(file)));
}

const REPORT = `${SCRIPTED_WORK}

It made no report and no plan.

${NOT_ASKED}

SWITCHYARD_STATUS: DONE`;

function doneText(file: string): string {
  return `${SCRIPTED_WORK}

It listed the files of the repository and added a line to ${file}, to show the whole way: runner, agent engine, branch, pull request.

${NOT_ASKED}

SWITCHYARD_STATUS: DONE`;
}

function failedText(): string {
  return `${SCRIPTED_WORK}

It could not add its line: the output of the last command says why. Nothing else was tried.

${NOT_ASKED}

SWITCHYARD_STATUS: BLOCKED`;
}

const say = (text: string): StepOutput => ({ type: 'message', text });
const run = (command: string): StepOutput => ({ type: 'shell', command, yieldTimeMs: COMMAND_MS });
const step = (...outputs: StepOutput[]): Step => ({ outputs, usage: NO_USAGE, delayMs: THINK_MS });

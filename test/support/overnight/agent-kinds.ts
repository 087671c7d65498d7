import { asksQuestion } from '../scripted-model/scripts.ts';
import { exec, say } from '../../../control-plane/scripted-provider/step.ts';
import {
  cut,
  fail,
  failContextLength,
  failUnauthorized,
  failUsageLimit,
  garbage,
  hang,
} from '../scripted-model/faults.ts';
import { agent, commit, delivers, done, endsWith, type Kind, refused, troubled } from './kind.ts';

const a = { 'a.txt': /^a/ };
const A = commit('a.txt');
const OWN = /other issues succeed with the same model provider/;
const HOSTILE = 'start\u0000 \u001b[31mred\u001b[0m \u202eevil \u001b]0;title\nlast words';

/** What agents do beside git, and what their providers do to them. */
export const agentKinds: readonly Kind[] = [
  { name: 'leaves-it-uncommitted', script: agent("printf 'a\\n' > a.txt"), expected: delivers(a) },
  {
    name: 'changes-nothing',
    script: agent('git status --short'),
    expected: { ...delivers(null), reason: /^done, no changes were needed$/ },
  },
  {
    name: 'commits-nothing',
    script: agent('git commit -q --allow-empty -m nothing'),
    expected: { ...delivers(null), reason: /no changes were needed/ },
  },
  {
    name: 'is-blocked',
    script: () => say('I need the key of staging.\n\nSWITCHYARD_STATUS: BLOCKED'),
    expected: {
      ...endsWith('blocked', /I need the key of staging/),
      comment: /I need the key of staging/,
    },
  },
  {
    name: 'never-ends',
    script: () => say('I will continue.'),
    expected: endsWith('failed', /ended without the agent reporting done or blocked/),
  },
  {
    name: 'says-it-in-the-middle',
    script: () => say('SWITCHYARD_STATUS: DONE\n\nis what I will say.'),
    expected: endsWith('failed', /ended without the agent reporting done or blocked/),
  },
  {
    name: 'nobody-answers',
    script: asksQuestion,
    expected: endsWith('blocked', /Nobody told me the colour/),
  },
  {
    name: 'writes-control-characters',
    script: agent(A, undefined, HOSTILE),
    expected: delivers(a, { comment: /red evil[^]*last words/ }),
  },
  {
    name: 'prints-without-end',
    script: agent(`head -c 60000000 /dev/urandom | base64 ; ${A}`),
    expected: delivers(a),
  },
  {
    name: 'leaves-processes',
    script: agent(`for i in 1 2 3 4 5 6 7 8 9; do (setsid sleep 3000 &) ; done ; ${A}`),
    expected: delivers(a),
  },
  {
    name: 'odd-names',
    script: agent(
      "printf 'a\\n' > a.txt && printf 'x\\n' > 'ü \"b\" -c.txt' && mkdir -p 'd e' && touch 'd e/f'",
    ),
    expected: delivers(a),
  },
  {
    name: 'link-to-the-outside',
    script: agent(`ln -s /etc/passwd link && ${A}`),
    expected: delivers({ ...a, link: /^\/etc\/passwd$/ }),
  },
  {
    name: 'large-and-binary',
    script: agent(`head -c 4000000 /dev/urandom > big.bin && ${A}`),
    expected: delivers(a),
  },
  {
    name: 'mode-only',
    script: agent('chmod +x README.md'),
    expected: delivers({ 'README.md': /tidy/ }),
  },
  {
    name: 'workflow-taken-back',
    script: agent(
      `mkdir -p .github/workflows && echo x > .github/workflows/x.yml && ${A}`,
      'git rm -rqf .github && git commit -q --amend -m a',
    ),
    expected: delivers(a, { absent: ['.github/workflows/x.yml'] }),
  },
  {
    name: 'workflow-kept',
    script: agent(`mkdir -p .github/workflows && echo x > .github/workflows/x.yml && ${A}`),
    expected: refused(/agents may not change it/),
  },
  {
    name: 'context-full-once',
    script: troubled([exec(commit('b.txt'), 60_000), failContextLength()], agent(A)),
    expected: delivers({ ...a, 'b.txt': /^b/ }),
  },
  {
    name: 'context-always-full',
    script: () => failContextLength(),
    expected: endsWith('failed', /does not fit the context window/),
  },
  { name: 'provider-garbage', script: () => garbage(), expected: endsWith('failed', OWN) },
  {
    name: 'provider-refuses-it',
    script: () => failUnauthorized(),
    expected: endsWith('failed', OWN),
  },
  {
    name: 'provider-fails-once',
    script: troubled([fail(500)], agent(A)),
    expected: delivers(a),
  },
  { name: 'provider-cuts-once', script: troubled([cut()], agent(A)), expected: delivers(a) },
  {
    name: 'provider-limits-once',
    script: troubled([failUsageLimit(Date.now() + 2_000)], agent(A)),
    expected: delivers(a),
  },
  {
    name: 'provider-hangs',
    script: () => hang(),
    expected: endsWith('failed', OWN),
  },
  {
    name: 'kills-its-engine',
    script: agent('kill -9 $PPID; sleep 5'),
    expected: endsWith('failed', /the agent engine (?:ended by itself|was killed from outside)/),
  },
  {
    name: 'says-it-twice',
    script: ({ stepIndex }) =>
      stepIndex === 0 ? exec(A, 60_000) : done('Done.\n\nSWITCHYARD_STATUS: DONE'),
    expected: delivers(a),
  },
];

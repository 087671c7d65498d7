import { HostRule } from '@switchyard/shared/sandbox/host-rule';
import { RequiredIsolation } from '@switchyard/shared/sandbox/isolation-level';
import { z } from 'zod';
import { whole } from '../bounds/whole.ts';
import { filledText, listOf, text } from '../bounds/text.ts';
import { engineChoices, ProviderSection } from './routing/engine-choices.ts';

const GIB = 1_073_741_824;
const ShortText = filledText(500);

const Resources = z.strictObject({
  memoryBytes: whole(64 * 1_048_576)
    .default(4 * GIB)
    .describe('Memory of one sandbox, bytes.'),
  cpus: z.number().positive().max(1_024).default(2).describe('Processors of one sandbox.'),
  pids: whole(16, 1_000_000).default(512).describe('Processes of one sandbox.'),
  tmpfsBytes: whole(1_048_576).default(GIB).describe('Size of the temporary folder, bytes.'),
  diskBytes: whole(64 * 1_048_576)
    .default(20 * GIB)
    .describe('Workspace and engine home together, bytes; more ends the attempt.'),
  diskEntries: whole(1_000)
    .default(1_000_000)
    .describe('Files and folders in workspace and engine home; more ends the attempt.'),
});

const Sandbox = z.strictObject({
  image: ShortText.optional().describe("Sandbox image; left out: the runner's own build."),
  runtime: ShortText.optional().describe('Container runtime by name, for example runsc.'),
  isolation: RequiredIsolation.default('process').describe(
    'Least isolation: process, container, or kernel (one of its own). A weaker runner starts nothing.',
  ),
  network: z
    .enum(['none', 'registries', 'codehost', 'custom'])
    .default('registries')
    .describe(
      "Hosts a container reaches: none, the runner's package registries, those and the code host for reading, or only allowedHosts.",
    ),
  allowedHosts: listOf(HostRule, 200)
    .default([])
    .describe('Further hosts, with * for single labels and an optional port.'),
  networkBytes: whole(1)
    .default(20 * GIB)
    .describe('What one attempt may send and receive, bytes.'),
  cache: z
    .enum(['none', 'setup'])
    .default('none')
    .describe(
      "Dependency cache of a repository: none, or one for its afterCreate hook alone; never an agent's.",
    ),
  cacheBytes: whole(1_048_576)
    .default(2 * GIB)
    .describe("Size of one repository's cache, bytes; a larger one is emptied."),
  resources: Resources.prefault({}).describe('Caps of one sandbox.'),
});

const SANDBOX_ERROR =
  'the container is the sandbox, and an agent writes in it: workspaceWrite, dangerFullAccess or externalSandbox';

/**
 * Whether a policy refuses every step that would need approval, which is how runs without people
 * behave.
 */
function asksNobody(policy: unknown): boolean {
  return policy === undefined || policy === 'never' || (isObject(policy) && 'reject' in policy);
}

function mayWrite(sandbox: unknown): boolean {
  const name = typeof sandbox === 'string' ? sandbox.replaceAll(/[-_]/g, '').toLowerCase() : null;
  const known = ['workspacewrite', 'dangerfullaccess', 'externalsandbox'];
  return sandbox === undefined || (name !== null && known.includes(name));
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** `engine.*`: the agent engines, their model providers and their sandbox. */
export const EngineSection = z.strictObject({
  name: ShortText.optional().describe("Agent engine by name; left out: the runner's default."),
  model: ShortText.default('gpt-5.5').describe(
    'Model that agents use unless an issue overrides it.',
  ),
  reasoningEffort: ShortText.optional().describe('Reasoning effort, as the provider spells it.'),
  repositorySettings: z
    .boolean()
    .default(false)
    .describe(
      'A repository may set up the engine itself (`.codex/`): programs it starts, hooks, prompts.',
    ),
  trial: z
    .boolean()
    .default(false)
    .describe(
      'Try without a model: a script on the runner answers in place of every provider, and its work is marked.',
    ),
  provider: ProviderSection.prefault({}).describe('Where models are asked.'),
  ...engineChoices,
  sandbox: Sandbox.prefault({}).describe('The container of an attempt.'),
  stallTimeoutMs: z
    .int()
    .max(604_800_000)
    .default(300_000)
    .describe('Silence of the engine within a turn after which it ends; 0 or less: never.'),
  requestTimeoutMs: whole(100, 3_600_000)
    .default(5_000)
    .describe('How long the engine may take to answer one request.'),
  command: text(2_000)
    .optional()
    .describe('From WORKFLOW.md: its model and reasoning effort count, the rest is named.'),
  approvalPolicy: z
    .unknown()
    .refine(asksNobody, {
      error: 'nobody approves single steps here: only "never", or an object with "reject"',
    })
    .optional()
    .describe('From WORKFLOW.md: `never` or `{reject: …}`; other policies are refused.'),
  threadSandbox: z
    .unknown()
    .refine(mayWrite, { error: SANDBOX_ERROR })
    .optional()
    .describe('From WORKFLOW.md: one that may write; the container is the sandbox.'),
  turnSandboxPolicy: z
    .unknown()
    .refine((policy) => isObject(policy) && mayWrite(policy['type']), { error: SANDBOX_ERROR })
    .optional()
    .describe('From WORKFLOW.md: one whose type may write; the container is the sandbox.'),
});

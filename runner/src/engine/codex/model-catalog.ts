/** Models that engine 0.169 knows, so that they need no catalog entry. */
const BUILT_IN_MODELS = new Set([
  'gpt-6-astra',
  'gpt-6.1-sol',
  'gpt-6.1-terra',
  'gpt-6-sol',
  'gpt-6-luna',
  'gpt-5.6-sol',
  'gpt-5.6-terra',
  'gpt-5.6-luna',
  'gpt-daybreak-blue-latest',
  'gpt-daybreak-red-latest',
  'gpt-5.5',
]);

/** Assumed for an unknown model, in tokens; too small a value only compacts too early. */
const CONTEXT_WINDOW_TOKENS = 128_000;

/** Limit on a tool's output before the model sees it, in tokens. */
const TOOL_OUTPUT_TOKENS = 10_000;

const REASONING_EFFORTS = ['minimal', 'low', 'medium', 'high', 'xhigh'];

const INSTRUCTIONS = `You are a software engineer who works alone in a checked-out repository.

Work on the task until it is done; nobody watches each step, so do not stop to ask for permission.
- Look before you change: read the code, its tests and its instructions for contributors.
- Run commands with exec_command. Search with rg where it is installed.
- Edit files with apply_patch. Keep changes small and in the style of the code around them.
- Run the tests that cover your change and read their output before you call the task done.
- Do not touch what the task does not need, and never undo changes that are not yours.
- Say in your last message what you changed, how you checked it, and what is left open.`;

/**
 * A catalog file for a model that the engine does not know, so that the model gets the apply_patch
 * tool and no warning is shown; null for the engine's own models.
 */
export function modelCatalog(model: string, reasoningEffort?: string): string | null {
  if (BUILT_IN_MODELS.has(model)) return null;
  const efforts = reasoningEffort === undefined ? [] : REASONING_EFFORTS;
  const entry = {
    slug: model,
    display_name: model,
    supported_reasoning_levels: efforts.map((effort) => ({ effort, description: effort })),
    ...(reasoningEffort === undefined ? {} : { default_reasoning_level: reasoningEffort }),
    supports_reasoning_summaries: reasoningEffort !== undefined,
    shell_type: 'unified_exec',
    apply_patch_tool_type: 'freeform',
    base_instructions: INSTRUCTIONS,
    context_window: CONTEXT_WINDOW_TOKENS,
    truncation_policy: { mode: 'tokens', limit: TOOL_OUTPUT_TOKENS },
    support_verbosity: false,
    supports_parallel_tool_calls: false,
    experimental_supported_tools: [],
    visibility: 'list',
    supported_in_api: true,
    priority: 1,
  };
  return `${JSON.stringify({ models: [entry] }, null, 2)}\n`;
}

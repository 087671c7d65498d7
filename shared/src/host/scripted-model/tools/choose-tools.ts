import { isAbsolute, posix } from 'node:path';
import type { AnswerOutput, OfferedTool, ParsedRequest } from '../formats/wire-format.ts';
import type { AskedQuestion, StepOutput } from '../step.ts';
import { editsOfPatch } from './edits-of-patch.ts';

const SHELLS = ['exec_command', 'bash', 'Bash', 'run_shell_command', 'shell'];
const READERS = ['read', 'Read', 'read_file'];
const EDITORS = ['edit', 'Edit', 'replace'];
const WRITERS = ['write', 'Write', 'write_file'];
const ASKERS = ['request_user_input', 'AskUserQuestion', 'question', 'ask_user_question'];
const FOLDER = /working directory(?: is)?:?\s*`?(\/[^\s`<]*)/i;

type Offer = Pick<ParsedRequest, 'tools' | 'systemText' | 'userTexts'>;

/**
 * The outputs of a step as calls of the tools that the request offers. Without offered tools, those
 * of the default engine are used. Throws where no tool fits an output.
 */
export function chooseTools(outputs: readonly StepOutput[], offer: Offer): AnswerOutput[] {
  return outputs.flatMap((output) => {
    switch (output.type) {
      case 'message':
      case 'reasoning':
        return [output];
      case 'shell':
        return [shellCall(output, offer.tools)];
      case 'patch':
        return patchCalls(output.patch, offer);
      case 'read':
        return [readCall(output.path, offer)];
      case 'questions':
        return [questionCall(output.questions, offer.tools)];
      case 'tool':
        return [{ ...output, name: nameOf(output.name, offer.tools) }];
    }
  });
}

/**
 * The offered name of a wanted tool: engines prefix a server's name, as `mcp__server__tool` or
 * `server_tool`.
 */
function nameOf(wanted: string, tools: readonly OfferedTool[]): string {
  if (tools.some(({ name }) => name === wanted)) return wanted;
  return tools.find(({ name }) => name.endsWith(`_${wanted}`))?.name ?? wanted;
}

function find(names: readonly string[], tools: readonly OfferedTool[]): OfferedTool | null {
  for (const name of names) {
    const found = tools.find((tool) => tool.name === name);
    if (found !== undefined) return found;
  }
  return null;
}

function shellCall(
  { command, yieldTimeMs }: Extract<StepOutput, { type: 'shell' }>,
  tools: readonly OfferedTool[],
): AnswerOutput {
  const tool = find(SHELLS, tools);
  if (tool === null && tools.length > 0) throw missing('a shell', tools);
  if (tool === null || tool.name === 'exec_command') {
    const callArguments = { cmd: command, login: false, yield_time_ms: yieldTimeMs };
    return { type: 'tool', name: 'exec_command', arguments: callArguments };
  }
  const described = tool.properties.includes('description')
    ? { description: 'Run a command of the script' }
    : {};
  return { type: 'tool', name: tool.name, arguments: { command, ...described } };
}

function readCall(path: string, offer: Offer): AnswerOutput {
  const tool = find(READERS, offer.tools);
  if (tool === null) return shellCall(shell(`cat '${path}'`), offer.tools);
  return { type: 'tool', name: tool.name, arguments: pathArgument(tool, path, offer) };
}

const shell = (command: string) => ({ type: 'shell' as const, command, yieldTimeMs: 20_000 });

/** The calls that apply a patch: engines that replace text require a read of the file first. */
function patchCalls(patch: string, offer: Offer): AnswerOutput[] {
  const { tools } = offer;
  const editor = find(EDITORS, tools);
  const takesPatches = tools.find(({ name }) => name === 'apply_patch');
  if (takesPatches !== undefined && takesPatches.properties.includes('patchText')) {
    return [{ type: 'tool', name: 'apply_patch', arguments: { patchText: patch } }];
  }
  if (editor === null || takesPatches !== undefined) {
    if (takesPatches === undefined && tools.length > 0) throw missing('an editor', tools);
    return [{ type: 'custom_tool', name: 'apply_patch', input: patch }];
  }
  return editsOfPatch(patch).flatMap((file) => {
    if (file.kind === 'delete') return [shellCall(shell(`rm '${file.path}'`), tools)];
    if (file.kind === 'add') return [writeCall(file, offer)];
    const edits = file.edits.map(({ before, after }) =>
      editCall(editor, file.path, offer, [before, after]),
    );
    return [readCall(file.path, offer), ...edits];
  });
}

function writeCall(
  { path, content }: { path: string; content: string },
  offer: Offer,
): AnswerOutput {
  const tool = find(WRITERS, offer.tools);
  if (tool === null) throw missing('a tool that writes files', offer.tools);
  const callArguments = { ...pathArgument(tool, path, offer), content };
  return { type: 'tool', name: tool.name, arguments: callArguments };
}

function editCall(
  tool: OfferedTool,
  path: string,
  offer: Offer,
  [before, after]: [string, string],
): AnswerOutput {
  const camel = tool.properties.includes('oldString');
  const texts = camel
    ? { oldString: before, newString: after }
    : { old_string: before, new_string: after };
  const why = tool.required.includes('instruction')
    ? { instruction: 'Edit as the script says' }
    : {};
  const callArguments = { ...pathArgument(tool, path, offer), ...texts, ...why };
  return { type: 'tool', name: tool.name, arguments: callArguments };
}

/**
 * The path as a tool argument: absolute, since some engines accept nothing else; the prompt names
 * the folder.
 */
function pathArgument(
  { properties }: OfferedTool,
  path: string,
  { systemText, userTexts }: Offer,
): Record<string, string> {
  const folder = FOLDER.exec([systemText, ...userTexts].join('\n'))?.[1] ?? '';
  const whole = isAbsolute(path) ? path : posix.join(folder, path);
  const name = ['filePath', 'file_path', 'absolute_path', 'path'].find((one) =>
    properties.includes(one),
  );
  return { [name ?? 'file_path']: whole };
}

function questionCall(
  questions: readonly AskedQuestion[],
  tools: readonly OfferedTool[],
): AnswerOutput {
  const served = nameOf('ask_person', tools);
  const [first] = questions;
  if (first !== undefined && tools.some(({ name }) => name === served)) {
    const { header, question, options } = first;
    return { type: 'tool', name: served, arguments: { header, question, options } };
  }
  const name = find(ASKERS, tools)?.name ?? 'request_user_input';
  if (name === 'request_user_input') return { type: 'tool', name, arguments: { questions } };
  const asked = questions.map(({ header, question, options }) => ({
    header,
    question,
    options,
    ...(name === 'question' ? { multiple: false } : { multiSelect: false }),
  }));
  return { type: 'tool', name, arguments: { questions: asked } };
}

function missing(what: string, tools: readonly OfferedTool[]): Error {
  const names = tools.map(({ name }) => name).join(', ');
  return new Error(`the request offers no tool that the script knows as ${what}: ${names}`);
}

import {
  isScriptedModel,
  SCRIPTED_SUFFIX,
} from '@switchyard/shared/model-providers/scripted-model';
import { cutText } from '@switchyard/shared/text/cut-text';
import { inertText } from '@switchyard/shared/text/inert-text';
import { plainLine } from '@switchyard/shared/text/plain-text';

/** Longer than what hosts show of a subject. */
const MAX_TITLE_CHARS = 500;

/**
 * The message of commits that are made for the agent. A stranger may have written the title: it
 * stays on one line and is inert, so that it adds no trailer, closes no other issue and mentions
 * nobody. Work of a trial's scripted model is marked.
 */
export function workMessage(
  issue: { identifier: string; title: string },
  model: string | null = null,
): string {
  const title = cutText(plainLine(issue.title), MAX_TITLE_CHARS);
  const mark = isScriptedModel(model) ? SCRIPTED_SUFFIX : '';
  return `${issue.identifier}: ${inertText(title)}${mark}`;
}

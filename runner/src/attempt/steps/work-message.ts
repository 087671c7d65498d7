import {
  isScriptedModel,
  SCRIPTED_SUFFIX,
} from '@switchyard/shared/model-providers/scripted-model';
import { cutText } from '@switchyard/shared/text/cut-text';
import { inertText } from '@switchyard/shared/text/inert-text';
import { plainLine } from '@switchyard/shared/text/plain-text';

/** What hosts show of a subject is shorter still. */
const MAX_TITLE_CHARS = 500;

/**
 * The message of commits that are made for the agent. A stranger may have written the title: it stays
 * on one line, so that it adds no trailer, ends no other issue and tells nobody. What the script of
 * a trial made is marked by its model.
 */
export function workMessage(
  issue: { identifier: string; title: string },
  model: string | null = null,
): string {
  const title = cutText(plainLine(issue.title), MAX_TITLE_CHARS);
  const mark = isScriptedModel(model) ? SCRIPTED_SUFFIX : '';
  return `${issue.identifier}: ${inertText(title)}${mark}`;
}

import {
  ModelOverride,
  OverrideResponse,
  TemplateOverride,
} from '@switchyard/shared/api/work/issue';
import { byIssue } from '../by-issue.ts';
import type { Deps } from '../../deps.ts';
import { endpoint, json } from '../../http/endpoint/endpoint.ts';
import { setIssueModel } from './set-issue-model.ts';
import { setIssueTemplate } from './set-issue-template.ts';

/** Routes by which a person chooses the model and the template of one issue. */
export function issueOverrideRoutes(deps: Pick<Deps, 'db' | 'clock' | 'config'>) {
  return [
    endpoint({
      at: 'POST /api/v1/{id}/model',
      summary: 'Choose the engine and the model of an issue',
      description:
        'Holds from the next attempt on. What is left out goes back to what the configuration says.',
      params: byIssue,
      body: ModelOverride,
      answer: json(202, 'Stored', OverrideResponse),
      handler: ({ params: { id: identifier }, body: override, caller }) =>
        setIssueModel(deps, { identifier, caller, override }),
    }),
    endpoint({
      at: 'DELETE /api/v1/{id}/model',
      summary: 'Go back to the configured engine and model',
      params: byIssue,
      answer: json(202, 'Stored', OverrideResponse),
      handler: ({ params: { id: identifier }, caller }) =>
        setIssueModel(deps, { identifier, caller, override: null }),
    }),
    endpoint({
      at: 'POST /api/v1/{id}/template',
      summary: 'Choose the prompt template of an issue',
      description: 'Holds from the next attempt on.',
      params: byIssue,
      body: TemplateOverride,
      answer: json(202, 'Stored', OverrideResponse),
      handler: ({ params: { id: identifier }, body: { template_id: templateId }, caller }) =>
        setIssueTemplate(deps, { identifier, caller, templateId }),
    }),
    endpoint({
      at: 'DELETE /api/v1/{id}/template',
      summary: 'Go back to the configured prompt template',
      params: byIssue,
      answer: json(202, 'Stored', OverrideResponse),
      handler: ({ params: { id: identifier }, caller }) =>
        setIssueTemplate(deps, { identifier, caller, templateId: null }),
    }),
  ] as const;
}

import type { IssueDetail } from '@switchyard/shared/api/work/issue';
import type { Engine, EngineChoice } from '@switchyard/shared/api/engines';
import type { Model } from '@switchyard/shared/api/work/model';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'preact/hooks';
import { clearModel, clearTemplate, setModel, setTemplate } from '../../api/actions.ts';
import { errorText } from '../../api/api.ts';
import { enginesQuery, modelsQuery, templatesQuery } from '../../api/queries.ts';
import { Field } from '../../ui/forms/field.tsx';
import { showToast } from '../../ui/overlays/toasts.tsx';
import { ModelChoices } from './model-choices.tsx';
import { TextField } from '../../ui/forms/text-field.tsx';
import { FormDialog } from '../../ui/overlays/form-dialog.tsx';
import { Select, SelectField } from '../../ui/forms/select.tsx';
import { Icon } from '../../ui/marks/icon.tsx';

const AS_CONFIGURED = ['', 'As configured'] as const;
const EFFORTS = ['minimal', 'low', 'medium', 'high', 'xhigh'];

/** Reasoning efforts of the model; all common ones where they are unknown. */
function effortsOf(models: readonly Model[], id: string): readonly string[] {
  const known = models.find((model) => model.id === id)?.reasoningEfforts ?? [];
  return known.length > 0 ? known : EFFORTS;
}

/** Form for this issue's own engine, model, effort and prompt, from its next attempt on. */
export function OverrideDialog({ issue, onClose }: { issue: IssueDetail; onClose: () => void }) {
  const client = useQueryClient();
  const asked = useQuery(modelsQuery);
  const models = asked.data?.models ?? [];
  const templates = useQuery(templatesQuery).data?.templates ?? [];
  const { choices = [], engines = [] } = useQuery(enginesQuery).data ?? {};
  const [engine, chooseEngine] = useState(issue.engine ?? '');
  const [model, chooseModel] = useState(issue.model ?? '');
  const [effort, chooseEffort] = useState('');
  const [template, chooseTemplate] = useState(issue.templateId ?? '');
  const save = useMutation({
    mutationFn: async (name: string) => {
      const isOther = name !== (issue.model ?? '') || engine !== (issue.engine ?? '');
      if (isOther && name === '' && engine === '') await clearModel(issue.identifier);
      else if (isOther || effort !== '') {
        await setModel(issue.identifier, {
          engine: engine === '' ? null : engine,
          model: name === '' ? null : name,
          reasoning_effort: effortsOf(models, name).includes(effort) ? effort : null,
        });
      }
      if (template === (issue.templateId ?? '')) return;
      if (template === '') await clearTemplate(issue.identifier);
      else await setTemplate(issue.identifier, template);
    },
    onSuccess: () => {
      showToast('Saved; applies to the next attempt.');
      onClose();
      return client.invalidateQueries({ queryKey: ['issue', issue.identifier] });
    },
  });
  return (
    <FormDialog
      title={`Engine, model and template of ${issue.identifier}`}
      submitLabel="Save"
      of={save}
      onClose={onClose}
      onSubmit={() => save.mutate(model.trim())}
    >
      {choices.length > 1 && (
        <>
          <SelectField
            label="Engine"
            options={[AS_CONFIGURED, ...choices.map(choiceOption)]}
            value={engine}
            onChoose={chooseEngine}
          />
          <EngineNote
            engine={engines.find(({ name }) => name === engineOf(choices, engine))}
            wasChosen={engine !== ''}
          />
        </>
      )}
      <TextField
        label="Model"
        hint={model === '' ? 'Empty: the model of the engine’s choice' : undefined}
        prose
        autoFocus
        maxLength={200}
        value={model}
        onInput={(event) => chooseModel(event.currentTarget.value)}
      />
      <ModelChoices models={models} typed={model} onChoose={(id) => save.mutate(id)} />
      {asked.error !== null && (
        <p class="quiet wrap">The list of models is not available: {errorText(asked.error)}</p>
      )}
      <Field
        label="Reasoning effort"
        hint="Choose an engine or a model first"
        control={(ids) => (
          <Select
            {...ids}
            options={[AS_CONFIGURED, ...effortsOf(models, model.trim())]}
            disabled={model.trim() === '' && engine === ''}
            value={effort}
            onChoose={chooseEffort}
          />
        )}
      />
      <SelectField
        label="Template"
        options={[AS_CONFIGURED, ...templates.map(({ id, name }) => [id, name] as const)]}
        value={template}
        onChoose={chooseTemplate}
      />
      <p class="quiet">A running attempt keeps its engine, model and template.</p>
    </FormDialog>
  );
}

function choiceOption({ name, engine, model, account }: EngineChoice): readonly [string, string] {
  const message =
    account === null ? `${engine}, ${model}` : `${engine}, ${model}, account ${account}`;
  return [name, `${name} (${message})`];
}

/** The engine of a choice's name, or of an engine's own name. */
function engineOf(choices: readonly EngineChoice[], asked: string): string {
  return choices.find(({ name }) => name === asked)?.engine ?? asked;
}

/** Why no attempt could start with the chosen engine now. */
function EngineNote({ engine, wasChosen }: { engine: Engine | undefined; wasChosen: boolean }) {
  if (!wasChosen || engine === undefined || engine.advice === null) return null;
  return (
    <p class="note warning wrap" role="status">
      <Icon name="warning" size={14} />
      <span>{engine.advice}</span>
    </p>
  );
}

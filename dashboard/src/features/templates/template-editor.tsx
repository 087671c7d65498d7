import type { Template, TemplateVariable } from '@switchyard/shared/api/admin/template';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useRef } from 'preact/hooks';
import { templatesQuery } from '../../api/queries.ts';
import { ConfirmButton } from '../../ui/overlays/confirm-button.tsx';
import { Problem } from '../../ui/marks/problem.tsx';
import { showToast } from '../../ui/overlays/toasts.tsx';
import { LivePreview } from './live-preview.tsx';
import { createTemplate, deleteTemplate, updateTemplate } from './queries.ts';
import { Variables } from './variables.tsx';
import { Button } from '../../ui/button.tsx';
import { useDraftText } from '../../ui/forms/form-draft.ts';
import { Form } from '../../ui/forms/form.tsx';

type Props = {
  /** Null for one that does not exist yet. */
  template: Template | null;
  /** Initial text of a new template. */
  proposal: string;
  variables: TemplateVariable[];
  onOpen: (id: string) => void;
};

/** A prompt template beside its preview; built-in ones can be read and copied. */
export function TemplateEditor({ template, proposal, variables, onOpen }: Props) {
  const client = useQueryClient();
  const draft = `template.${template?.id ?? 'new'}`;
  const [name, setName, forgetName] = useDraftText(`${draft}.name`, template?.name ?? '');
  const [body, setBody, forgetBody] = useDraftText(`${draft}.body`, template?.body ?? proposal);
  const discard = () => {
    setName(template?.name ?? '');
    setBody(template?.body ?? proposal);
  };
  const area = useRef<HTMLTextAreaElement>(null);
  const nameField = useRef<HTMLInputElement>(null);
  const fixed = template?.builtIn === true;
  const isDraft = name !== (template?.name ?? '') || body !== (template?.body ?? proposal);
  const changed = template === null || isDraft;
  const save = useMutation({
    mutationFn: (given: { name: string; body: string }) =>
      template === null ? createTemplate(given) : updateTemplate(template.id, given),
    onSuccess: async (saved) => {
      forgetName();
      forgetBody();
      showToast(`${saved.name} saved.`);
      await client.invalidateQueries({ queryKey: templatesQuery.queryKey });
      onOpen(saved.id);
    },
  });
  const copy = useMutation({
    mutationFn: () => createTemplate({ name: `${name} (copy)`, body }),
    onSuccess: async (made) => {
      await client.invalidateQueries({ queryKey: templatesQuery.queryKey });
      onOpen(made.id);
    },
  });
  const remove = async () => {
    if (template !== null) await deleteTemplate(template.id);
    forgetName();
    forgetBody();
    await client.invalidateQueries({ queryKey: templatesQuery.queryKey });
    onOpen('');
  };
  return (
    <Form
      class="template-editor"
      onSubmit={() => {
        // The fields' current content, even before the last key was rendered.
        const given = {
          name: nameField.current?.value ?? name,
          body: area.current?.value ?? body,
        };
        if (!fixed && !save.isPending) save.mutate(given);
      }}
    >
      <header>
        <label class="grow">
          <span class="visually-hidden">Name</span>
          <input
            ref={nameField}
            class="field"
            value={name}
            required
            maxLength={100}
            readOnly={fixed}
            placeholder="Name of the template"
            autoComplete="off"
            onInput={(event) => setName(event.currentTarget.value)}
          />
        </label>
        {fixed ? (
          <Button icon="copy" disabled={copy.isPending} onClick={() => copy.mutate()}>
            Duplicate to edit
          </Button>
        ) : (
          <Button type="submit" primary disabled={!changed || save.isPending}>
            {save.isPending ? 'Saving' : changed ? 'Save' : 'Saved'}
          </Button>
        )}
        {isDraft && !fixed && <Button onClick={discard}>Discard changes</Button>}
        {template !== null && !fixed && (
          <ConfirmButton
            label="Delete"
            about={template.name}
            question={`Delete ${template.name}?`}
            explanation="Issues that use it must be assigned another template first."
            confirmLabel="Delete template"
            danger
            action={remove}
          />
        )}
      </header>
      <Problem error={save.error ?? copy.error} />
      <div class="template-sides">
        <label class="template-side">
          <span class="side-name">Prompt, in Liquid</span>
          <textarea
            ref={area}
            class="field mono"
            value={body}
            readOnly={fixed}
            spellcheck={false}
            onInput={(event) => setBody(event.currentTarget.value)}
          />
        </label>
        <LivePreview body={body} />
      </div>
      <Variables
        variables={variables}
        onInsert={fixed ? null : (path) => setBody(insertAt(area.current, body, `{{ ${path} }}`))}
      />
    </Form>
  );
}

/** The text with a piece inserted at the cursor, or at the end without one. */
function insertAt(area: HTMLTextAreaElement | null, body: string, piece: string): string {
  const start = area?.selectionStart ?? body.length;
  const end = area?.selectionEnd ?? body.length;
  return body.slice(0, start) + piece + body.slice(end);
}

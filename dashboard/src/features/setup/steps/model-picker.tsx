import type { Model } from '@switchyard/shared/api/work/model';
import { useEffect, useMemo, useRef, useState } from 'preact/hooks';
import { Button } from '../../../ui/button.tsx';
import { ModelChoices } from '../../issue/model-choices.tsx';
import type { OfferedModels } from '../queries.ts';

type ModelPickerProps = {
  /** The provider's model list from the latest request; null: not requested yet, or outdated. */
  offered: OfferedModels | null;
  /** Ids in the provider's list; null: it has none, or they are unknown. */
  models: readonly string[] | null;
  /** Text in the form's field. */
  model: string;
  /** The form cannot continue before a model is selected. */
  awaits: boolean;
  onChoose: (id: string) => void;
  /** Accepts the typed model although the list lacks it. */
  onAccept: () => void;
};

/** The models in the provider's list, filtered by the text in the field above. */
export function ModelPicker(props: ModelPickerProps) {
  const { offered, models, model, awaits, onChoose, onAccept } = props;
  const [isOpen, setOpen] = useState(false);
  const choices = useMemo(() => models?.map(asModel) ?? null, [models]);
  const status = useRef<HTMLParagraphElement>(null);
  useEffect(() => {
    if (awaits) status.current?.focus();
  }, [awaits]);
  if (choices === null) {
    if (offered === null) return null;
    return (
      <p class="note warning" role="status" ref={status} tabIndex={-1}>
        This provider has no list of models: type the model's name.
      </p>
    );
  }
  if (choices.length === 0) return null;
  const isListed = models?.includes(model) ?? false;
  const count = choices.length === 1 ? 'one model' : `${choices.length} models`;
  return (
    <>
      {awaits && (
        <p
          class={model === '' ? 'quiet' : 'note warning wrap'}
          ref={status}
          tabIndex={-1}
          role="status"
        >
          {model === ''
            ? `The provider offers ${count}. Choose one.`
            : `${model} is not among the ${count} that ${hostOf(offered)} offers; nothing is saved yet. Choose one, or correct the name.`}
        </p>
      )}
      {awaits || isOpen || !isListed ? (
        <ModelChoices models={choices} typed={model} onChoose={onChoose} withoutWarning />
      ) : (
        <p>
          <Button small onClick={() => setOpen(true)}>
            Choose from {count}
          </Button>
        </p>
      )}
      {awaits && model !== '' && (
        <p>
          <Button small onClick={onAccept}>
            Use {model} anyway
          </Button>
        </p>
      )}
    </>
  );
}

function hostOf(offered: OfferedModels | null): string {
  return offered === null ? 'the provider' : new URL(offered.baseUrl).host;
}

function asModel(id: string): Model {
  return {
    id,
    name: id,
    description: '',
    reasoningEfforts: [],
    sources: ['provider'],
    isDefault: false,
  };
}

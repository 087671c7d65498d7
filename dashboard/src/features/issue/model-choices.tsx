import type { Model } from '@switchyard/shared/api/work/model';
import { Icon } from '../../ui/marks/icon.tsx';
import './model-choices.css';

/** Number of models below the field; further ones are found by typing. */
const SHOWN_MAX = 12;

type ModelChoicesProps = {
  models: readonly Model[];
  /** Text in the field. */
  typed: string;
  onChoose: (id: string) => void;
  /** Omits the warning about the typed model, since the surrounding form shows its own. */
  withoutWarning?: boolean;
};

/**
 * The available models, only the matching ones if the typed text is part of some; a click selects
 * one.
 */
export function ModelChoices(props: ModelChoicesProps) {
  const { models, typed, onChoose, withoutWarning = false } = props;
  const query = typed.trim().toLowerCase();
  const isKnown = models.some(({ id }) => id === typed.trim());
  const fitting = models.filter((model) =>
    `${model.id} ${model.name}`.toLowerCase().includes(query),
  );
  // An already selected model does not filter the others.
  const shown = (isKnown || fitting.length === 0 ? models : fitting).slice(0, SHOWN_MAX);
  return (
    <>
      {!withoutWarning && warningOf(models, typed.trim()) !== null && (
        <p class="note warning" role="status">
          <Icon name="warning" size={14} />
          <span>{warningOf(models, typed.trim())}</span>
        </p>
      )}
      <ul class="choices model-choices" aria-label="Suggestions">
        {shown.map((model) => (
          <li key={model.id}>
            <button type="button" onClick={() => onChoose(model.id)}>
              <span class="mono">{model.id}</span>
              <span class="quiet">{aboutOf(models, model, typed.trim())}</span>
            </button>
          </li>
        ))}
      </ul>
    </>
  );
}

/** Why attempts with this model may fail; null without a known problem. */
function warningOf(models: readonly Model[], id: string): string | null {
  if (id === '' || models.length === 0) return null;
  const model = models.find((one) => one.id === id);
  if (model === undefined) {
    return `Neither the engine nor the provider lists a model “${id}”. Attempts fail if it does not exist.`;
  }
  return isOffered(models, model) ? null : `The provider does not list “${id}”.`;
}

/** Whether the provider offers a model; true for every model of a provider without a list. */
function isOffered(models: readonly Model[], model: Model): boolean {
  const named = models.some(({ sources }) => sources.includes('provider'));
  return !named || model.sources.includes('provider');
}

function aboutOf(models: readonly Model[], model: Model, typed: string): string {
  if (model.id === typed) return 'selected';
  if (model.isDefault) return 'default';
  return isOffered(models, model) ? '' : 'not listed by the provider';
}

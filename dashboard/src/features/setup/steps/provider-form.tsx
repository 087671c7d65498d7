import type { ConnectProvider, ProviderFormat } from '@switchyard/shared/api/admin/setup';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import type { ComponentChildren } from 'preact';
import { useLayoutEffect, useRef, useState } from 'preact/hooks';
import { ApiError } from '../../../api/api.ts';
import { Button } from '../../../ui/button.tsx';
import { useDraftChoice, useFormDraft } from '../../../ui/forms/form-draft.ts';
import { textIn } from '../../../ui/forms/form-text.ts';
import { Form } from '../../../ui/forms/form.tsx';
import { SecretField } from '../../../ui/forms/secret-field.tsx';
import { SelectField } from '../../../ui/forms/select.tsx';
import { SubmitRow } from '../../../ui/forms/submit-row.tsx';
import { TextField } from '../../../ui/forms/text-field.tsx';
import { useLastCheck } from '../live-check.tsx';
import {
  connectProvider,
  listProviderModels,
  type OfferedModels,
  refreshAndReport,
  refreshSetup,
  type Setup,
} from '../queries.ts';
import { ModelPicker } from './model-picker.tsx';

type Provider = Setup['provider'];
/** What is sent: first a check, or the person's decision in spite of a warning. */
type Sending = { model?: string; accepted?: boolean; unchecked?: boolean };

type FormProps = {
  provider: Provider;
  format: ProviderFormat;
  /** Null: the address is typed. */
  hosted: ProviderFormat['hosted'] | null;
  isInUse: boolean;
  /** Fields before the key. */
  children?: ComponentChildren;
};

/** Sets a provider: requests its models with the key, and asks for one where that is needed. */
export function ProviderForm({ provider, format, hosted, isInUse, children }: FormProps) {
  const client = useQueryClient();
  const form = useRef<HTMLFormElement>(null);
  const [found, setFound] = useState<OfferedModels | null>(null);
  const [model, setModel] = useState('');
  const forgetDraft = useFormDraft(form, `setup.provider.${hosted?.baseUrl ?? 'endpoint'}`);
  const lastModels = useLastCheck('provider')?.models ?? null;
  useLayoutEffect(() => {
    if (form.current !== null) setModel(textIn(form.current, 'model'));
  }, []);
  const [engine, setEngine] = useEngine(provider, format);
  const read = (): Partial<ConnectProvider> => {
    const element = form.current;
    if (element === null) return {};
    const names = ['name', 'baseUrl', 'model', 'apiKey'] as const;
    const filled = names.flatMap((name) => {
      const text = element.elements.namedItem(name) === null ? '' : textIn(element, name);
      return text === '' ? [] : [[name, text] as const];
    });
    const own = hosted === null ? {} : { baseUrl: hosted.baseUrl };
    return { ...own, wireApi: format.wireApi, ...Object.fromEntries(filled) };
  };
  const connect = useMutation({
    mutationFn: async ({ model: chosen, accepted = false, unchecked = false }: Sending) => {
      const given = { ...read(), ...(chosen === undefined ? {} : { model: chosen }) };
      if (!accepted && !unchecked) {
        const { baseUrl, wireApi, apiKey } = given;
        const offered = await listProviderModels(withoutUndefined({ baseUrl, wireApi, apiKey }));
        setFound(offered);
        if (awaitsChoice(offered, given.model)) return null;
      }
      return connectProvider({ ...given, ...(engine === null ? {} : { engine }), unchecked });
    },
    onSuccess: async (connected) => {
      if (connected === null) return;
      forgetDraft();
      setFound(null);
      const key = form.current?.elements.namedItem('apiKey');
      if (key instanceof HTMLInputElement) key.value = '';
      const { name, model: used, check } = connected;
      // The step shows the problem with the model, so no success is reported.
      if ((check.warnings ?? []).length > 0) return refreshSetup(client, 'provider');
      await refreshAndReport(client, 'provider', `Connected. Agents use ${used} from ${name}.`);
    },
  });
  const choose = (id: string) => {
    const field = form.current?.elements.namedItem('model');
    if (!(field instanceof HTMLInputElement)) return;
    field.value = id;
    field.dispatchEvent(new Event('input', { bubbles: true }));
    // Only the model was missing.
    if (awaits && !connect.isPending) connect.mutate({ model: id });
  };
  const refused = connect.error instanceof ApiError && connect.error.status === 502;
  const awaits = found !== null && awaitsChoice(found, model);
  const saveUnchecked = () => {
    if (!connect.isPending && form.current?.reportValidity() === true) {
      connect.mutate({ unchecked: true });
    }
  };
  return (
    <Form
      formRef={form}
      onSubmit={() => connect.isPending || connect.mutate({})}
      onInput={(event) => {
        const { target } = event;
        if (target instanceof HTMLInputElement && target.name === 'model')
          setModel(target.value.trim());
        // Another address or key may offer other models.
        else setFound(null);
      }}
    >
      {children}
      <div class="form-row">
        <SecretField
          name="apiKey"
          label="API key"
          hint="Stored as a secret after the provider accepts it."
          required={hosted !== null && !hosted.hasKey}
          placeholder={
            (hosted?.hasKey ?? (isInUse && provider.hasKey))
              ? 'Already set; enter a new value to replace it'
              : 'sk-…'
          }
        />
        <TextField
          label="Model"
          name="model"
          required={refused || found?.models === null}
          isInvalid={awaits && model !== ''}
          maxLength={500}
          defaultValue={isInUse ? provider.model : (hosted?.model ?? '')}
          placeholder="chosen from the provider's list"
        />
      </div>
      <ModelPicker
        offered={found}
        models={found?.models ?? (isInUse ? lastModels : null)}
        model={model}
        awaits={awaits}
        onChoose={choose}
        onAccept={() => connect.isPending || connect.mutate({ accepted: true })}
      />
      {engine !== null && (
        <>
          <SelectField
            label={`Agent engine (${provider.engine} does not speak ${format.title})`}
            options={format.engines}
            value={engine}
            onChoose={setEngine}
          />
          <p class="quiet">
            Further attempts use it. Runners fetch an engine that they lack; Claude Code only where
            they were started with <code>--accept-licence</code>.
          </p>
        </>
      )}
      <SubmitRow label="Connect the provider" busy="Connecting" of={connect}>
        {refused && (
          <Button aria-disabled={connect.isPending} onClick={saveUnchecked}>
            Save anyway
          </Button>
        )}
      </SubmitRow>
      {refused && (
        <p class="quiet">
          Not saved. The check runs on the service's machine. If only the runner can reach the
          provider, type the model's name, save anyway and run the test issue.
        </p>
      )}
    </Form>
  );
}

/** The form for a provider at an address and with an API format that a person enters. */
export function CustomProviderForm({
  provider,
  isInUse,
}: {
  provider: Provider;
  isInUse: boolean;
}) {
  const { formats } = provider;
  const names = formats.map(({ wireApi }) => wireApi);
  const initial = isInUse ? provider.wireApi : 'responses';
  const [chosen, choose] = useDraftChoice('setup.provider.format', names, initial);
  const format = formats.find(({ wireApi }) => wireApi === chosen);
  if (format === undefined) return null;
  return (
    <ProviderForm provider={provider} format={format} hosted={null} isInUse={isInUse}>
      <SelectField
        label="Format"
        options={formats.map(({ wireApi, title, engines }) => [
          wireApi,
          `${title} (${engines.join(', ')})`,
        ])}
        value={chosen}
        onChoose={(value) => {
          const wireApi = names.find((name) => name === value);
          if (wireApi !== undefined) choose(wireApi);
        }}
      />
      <div class="form-row">
        <TextField
          label="Base URL"
          hint={`As the provider gives it, for example ${format.hosted.baseUrl}`}
          type="url"
          name="baseUrl"
          required
          maxLength={2_048}
          defaultValue={isInUse ? provider.baseUrl : ''}
        />
        <TextField
          label="Name"
          prose
          name="name"
          maxLength={100}
          defaultValue={isInUse && provider.name !== hostOf(provider) ? provider.name : ''}
          placeholder="derived from the base URL"
        />
      </div>
    </ProviderForm>
  );
}

/** Name of a provider without a configured one: its host. */
function hostOf({ baseUrl }: Provider): string {
  return new URL(baseUrl).host;
}

/** The engine to select for a format; null: the current engine supports it. */
function useEngine(
  { engine }: Provider,
  { engines }: ProviderFormat,
): [string | null, (engine: string) => void] {
  const [chosen, choose] = useState<string | null>(null);
  if (engines.includes(engine)) return [null, choose];
  // An engine that was selected for another format may not support this one.
  return [engines.find((name) => name === chosen) ?? engines[0] ?? null, choose];
}

/** Whether a person must select a model, or confirm one that is not in the list. */
function awaitsChoice({ models }: OfferedModels, model = ''): boolean {
  return model === '' || (models !== null && !models.includes(model));
}

function withoutUndefined<T extends object>(given: T): { [K in keyof T]?: NonNullable<T[K]> } {
  const filled = Object.entries(given).filter(([, value]) => value !== undefined);
  return Object.fromEntries(filled) as { [K in keyof T]?: NonNullable<T[K]> };
}

/**
 * The trial without a model (`engine.trial`): a script on the runner answers the engine in place of a
 * provider. Model and address are reserved for it, so that its work can be told apart for good.
 */
export const SCRIPTED_MODEL = 'scripted-trial';

/** No such host exists (RFC 2606): a runner that does not know the script reaches nobody by it. */
export const SCRIPTED_BASE_URL = 'https://scripted.invalid/v1';

/** Name of the provider where one is shown. */
export const SCRIPTED_PROVIDER = 'scripted-trial';

/** What marks work that the script made, in one sentence. */
export const SCRIPTED_WORK = 'A scripted model did this on trial: no language model was asked.';

/** How things stand while it is chosen, in one sentence. */
export const SCRIPTED_STANDING =
  'On trial without a model: a script answers in place of every model provider (engine.trial).';

/** The mark behind a title. */
export const SCRIPTED_SUFFIX = ' (scripted trial)';

/** The same for work that a model went on with afterwards, or had begun. */
export const PARTLY_SCRIPTED_WORK =
  'A scripted model did a part of this on trial, without a language model.';
export const PARTLY_SCRIPTED_SUFFIX = ' (partly scripted trial)';

/** In the prompt of work that only reads: by it the script knows that it has nothing to change. */
export const READS_ONLY = 'what you write to the repository is thrown away';

/** Whether an address is the script's, whatever its path. */
export function isScriptedAddress(baseUrl: string): boolean {
  return URL.canParse(baseUrl) && new URL(baseUrl).hostname === new URL(SCRIPTED_BASE_URL).hostname;
}

/** Whether an attempt's model is the script; it stays so after a real provider is connected. */
export function isScriptedModel(model: string | null): boolean {
  return model === SCRIPTED_MODEL;
}

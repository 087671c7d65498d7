/**
 * The trial without a model (`engine.trial`): a script on the runner answers the engine in place of
 * a provider. Model name and address are reserved for the script, so that its work can always be
 * identified.
 */
export const SCRIPTED_MODEL = 'scripted-trial';

/** A host that cannot exist (RFC 2606), so that a runner without the script reaches nobody. */
export const SCRIPTED_BASE_URL = 'https://scripted.invalid/v1';

/** Display name of the script where a provider is shown. */
export const SCRIPTED_PROVIDER = 'scripted-trial';

/** One sentence that marks work of the script. */
export const SCRIPTED_WORK = 'A scripted model did this on trial: no language model was asked.';

/** One sentence on the service's state while the trial is selected. */
export const SCRIPTED_STANDING =
  'On trial without a model: a script answers in place of every model provider (engine.trial).';

/** Suffix that marks the script's work in a title. */
export const SCRIPTED_SUFFIX = ' (scripted trial)';

/** One sentence that marks work of which the script did one part and a model another. */
export const PARTLY_SCRIPTED_WORK =
  'A scripted model did a part of this on trial, without a language model.';
export const PARTLY_SCRIPTED_SUFFIX = ' (partly scripted trial)';

/**
 * Phrase in the prompt of read-only work, by which the script detects that it must change nothing.
 */
export const READS_ONLY = 'what you write to the repository is thrown away';

/** Whether an address is the script's, with any path. */
export function isScriptedAddress(baseUrl: string): boolean {
  return URL.canParse(baseUrl) && new URL(baseUrl).hostname === new URL(SCRIPTED_BASE_URL).hostname;
}

/** Whether an attempt's model is the script; stays true after a real provider is configured. */
export function isScriptedModel(model: string | null): boolean {
  return model === SCRIPTED_MODEL;
}

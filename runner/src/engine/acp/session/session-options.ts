import * as z from 'zod';
import { EngineRequestError } from '../../json-rpc/engine-errors.ts';
import { ConfigOption, SessionOpened } from '../session-update.ts';

const OptionValue = z.looseObject({ value: z.string() });
const OptionGroup = z.looseObject({ options: z.array(z.unknown()) });

/** Model and reasoning effort for a turn. */
export type Wanted = { model: string; reasoningEffort?: string };

type Setting = { id: string; value: string; what: string };

/** Model and reasoning effort of a session, as far as the agent lets clients choose them. */
export class SessionOptions {
  #known: ConfigOption[] | null = null;
  #told = new Set<string>();

  /**
   * Records the options that a session reported when it was opened; nothing is set in an adopted
   * session, whose options are not known.
   */
  opened(answer: unknown): void {
    const parsed = SessionOpened.safeParse(answer);
    const options = parsed.success ? (parsed.data.configOptions ?? []) : [];
    this.#known = options.flatMap((option) => {
      const read = ConfigOption.safeParse(option);
      return read.success ? [read.data] : [];
    });
  }

  /**
   * Sets options that differ from the wanted ones. What cannot be set is reported once, and the
   * turn uses the agent's own value.
   */
  async apply(
    wanted: Wanted,
    to: { set(id: string, value: string): Promise<unknown>; warn(message: string): void },
  ): Promise<void> {
    if (this.#known === null) return;
    for (const setting of this.#settings(wanted, (message) => this.#reportOnce(message, to.warn))) {
      try {
        const answer = await to.set(setting.id, setting.value);
        const changed = SessionOpened.safeParse(answer);
        if (changed.success && changed.data.configOptions) this.opened(answer);
        const option = this.#known.find(({ id }) => id === setting.id);
        if (option) option.currentValue = setting.value;
      } catch (error) {
        if (!(error instanceof EngineRequestError)) throw error;
        const message = `The agent did not take the ${setting.what} ${setting.value}: ${error.reason}.`;
        this.#reportOnce(`${message} It goes on with its own.`, to.warn);
      }
    }
  }

  #settings({ model, reasoningEffort }: Wanted, warn: (message: string) => void): Setting[] {
    const models = this.#option('model');
    const settings = [this.#choose(models, model, 'model', warn)];
    if (reasoningEffort !== undefined) {
      const efforts = this.#option('effort') ?? this.#option('thought_level');
      if (efforts === undefined) {
        warn(
          `The agent offers no reasoning effort for the model ${model}; it goes on without one.`,
        );
      }
      settings.push(this.#choose(efforts, reasoningEffort, 'reasoning effort', warn));
    }
    return settings.filter((setting) => setting !== null);
  }

  /** Matches a value; agents put the provider in front of a model's name. */
  #choose(
    option: ConfigOption | undefined,
    wanted: string,
    what: string,
    warn: (message: string) => void,
  ): Setting | null {
    if (option === undefined) return null;
    const values = valuesOf(option);
    const value = [wanted, ...values].find(
      (candidate) =>
        values.includes(candidate) && (candidate === wanted || candidate.endsWith(`/${wanted}`)),
    );
    if (value === undefined) {
      const has = typeof option.currentValue === 'string' ? ` (${option.currentValue})` : '';
      warn(`The agent does not offer the ${what} ${wanted}; it goes on with its own${has}.`);
      return null;
    }
    return value === option.currentValue ? null : { id: option.id, value, what };
  }

  #option(name: string): ConfigOption | undefined {
    return this.#known?.find(({ id, category }) => id === name || category === name);
  }

  #reportOnce(message: string, warn: (message: string) => void): void {
    if (this.#told.has(message)) return;
    this.#told.add(message);
    warn(message);
  }
}

/** All values, also those in groups. */
function valuesOf({ options }: ConfigOption): string[] {
  return (options ?? []).flatMap((option): string[] => {
    const group = OptionGroup.safeParse(option);
    if (group.success) return valuesOf({ id: '', options: group.data.options });
    const value = OptionValue.safeParse(option);
    return value.success ? [value.data.value] : [];
  });
}

import { readFile } from 'node:fs/promises';
import { Ajv, type ValidateFunction } from 'ajv';
import addFormats from 'ajv-formats';

type Json = Record<string, unknown>;
type Operation = { responses: Record<string, Json> };
type Description = {
  paths: Record<string, Record<string, Operation>>;
  components: Record<string, Record<string, Json>>;
};

const ID = 'github';

/** GitHub's own description of its REST API, to hold answers against. */
export class GitHubDescription {
  readonly #description: Description;
  readonly #ajv: Ajv;
  readonly #paths: { pattern: RegExp; template: string; parameters: number }[];

  /** From the file of the published description, see github-description-part.ts. */
  static async load(path: string): Promise<GitHubDescription> {
    const text = await readFile(path, 'utf8');
    return new GitHubDescription(JSON.parse(text, asJsonSchema) as Description);
  }

  private constructor(description: Description) {
    this.#description = description;
    this.#ajv = new Ajv({ strict: false, allErrors: true, validateFormats: true });
    addFormats.default(this.#ajv);
    this.#ajv.addSchema({ $id: ID, ...description });
    this.#paths = Object.keys(description.paths)
      .map((template) => ({
        template,
        pattern: new RegExp(`^${template.replaceAll(/\{[^}]+\}/g, '[^/]+')}$`),
        parameters: template.split('{').length,
      }))
      .toSorted((a, b) => a.parameters - b.parameters);
  }

  /** What is wrong with an answer, in words; nothing when it is as described. */
  problems(answer: { method: string; path: string; status: number; body: unknown }): string[] {
    const { method, status, body } = answer;
    const path = answer.path.split('?')[0] ?? '';
    const found = this.#paths.find(({ pattern }) => pattern.test(path));
    if (found === undefined) return [`${path} is not described`];
    const operation = this.#description.paths[found.template]?.[method.toLowerCase()];
    if (operation === undefined) return [`${method} ${found.template} is not described`];
    const pointer = this.#schemaOf(found.template, method.toLowerCase(), operation, status);
    if (pointer === null) return [`${method} ${found.template} never answers ${status}`];
    const validate = this.#ajv.getSchema(`${ID}${pointer}`) as ValidateFunction;
    if (validate(body)) return [];
    return (validate.errors ?? []).map(
      (error) => `${error.instancePath || '/'} ${error.message} ${JSON.stringify(error.params)}`,
    );
  }

  /** Where the schema of an answer stands, as a JSON pointer. */
  #schemaOf(template: string, method: string, operation: Operation, status: number): string | null {
    const response = operation.responses[String(status)];
    if (response === undefined) return null;
    const reference = response['$ref'];
    const shared = typeof reference === 'string' ? reference.split('/').at(-1) : undefined;
    const where =
      shared === undefined
        ? ['paths', template, method, 'responses', String(status)]
        : ['components', 'responses', shared];
    const whole =
      shared === undefined ? response : this.#description.components['responses']?.[shared];
    const content = (whole?.['content'] ?? {}) as Json;
    const [type] = Object.keys(content);
    return type === undefined ? null : pointerTo([...where, 'content', type, 'schema']);
  }
}

function pointerTo(parts: readonly string[]): string {
  const escaped = parts.map((part) =>
    encodeURIComponent(part.replaceAll('~', '~0').replaceAll('/', '~1')),
  );
  return `#/${escaped.join('/')}`;
}

/** OpenAPI 3.0 says `nullable` where JSON Schema knows a type of its own. */
function asJsonSchema(_key: string, value: unknown): unknown {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return value;
  const { nullable, ...rest } = value as Json;
  if (nullable !== true) return value;
  return { anyOf: [rest, { type: 'null' }] };
}

import type { TemplateVariable } from '@switchyard/shared/api/admin/template';

/** Every variable that a template may name; a click inserts one at the cursor. */
export function Variables(props: {
  variables: TemplateVariable[];
  /** Null where the template cannot be changed. */
  onInsert: ((path: string) => void) | null;
}) {
  const { onInsert } = props;
  return (
    <details class="template-variables">
      <summary>Variables</summary>
      <dl>
        {props.variables.map((variable) => (
          <div key={variable.path}>
            <dt>
              {onInsert === null ? (
                <code>{variable.path}</code>
              ) : (
                <button
                  type="button"
                  class="button small mono"
                  aria-label={`Insert ${variable.path}`}
                  onClick={() => onInsert(variable.path)}
                >
                  {variable.path}
                </button>
              )}
            </dt>
            <dd class="quiet wrap">{variable.description}</dd>
          </div>
        ))}
      </dl>
    </details>
  );
}

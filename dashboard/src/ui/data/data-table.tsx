import type { ComponentChildren } from 'preact';

export type TableColumn<T> = {
  name: string;
  cell: (row: T) => ComponentChildren;
  /** Numbers are right-aligned, with digits of equal width. */
  numeric?: boolean;
  /** The column is hidden in a narrow window. */
  wide?: boolean;
};

/** A table with named columns; `label` describes it to screen readers. */
export function DataTable<T>(props: {
  label: string;
  rows: readonly T[];
  columns: readonly TableColumn<T>[];
  rowKey: (row: T) => string | number;
}) {
  const classOf = (column: TableColumn<T>) =>
    [column.numeric && 'numeric', column.wide && 'wide-only'].filter(Boolean).join(' ');
  return (
    <div class="data-table panel" tabIndex={0} role="region" aria-label={props.label}>
      <table>
        <thead>
          <tr>
            {props.columns.map((column) => (
              <th key={column.name} scope="col" class={classOf(column)}>
                {column.name}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {props.rows.map((row) => (
            <tr key={props.rowKey(row)}>
              {props.columns.map((column) => (
                <td key={column.name} class={classOf(column)}>
                  {column.cell(row)}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

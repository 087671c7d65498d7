type SelectProps = {
  id?: string;
  name?: string;
  value?: string;
  /** Initial value, where the form itself keeps the choice. */
  defaultValue?: string;
  disabled?: boolean;
  'aria-label'?: string;
  'aria-describedby'?: string;
  'aria-invalid'?: boolean;
  /** Values with their labels; a single text is both. */
  options: readonly (string | readonly [value: string, shown: string])[];
  onChoose?: (value: string) => void;
};

/** A selection of one value among a few. */
export function Select({ options, onChoose, ...rest }: SelectProps) {
  return (
    <select class="field" {...rest} onChange={(event) => onChoose?.(event.currentTarget.value)}>
      {options.map((option) => {
        const [value, shown] = typeof option === 'string' ? [option, option] : option;
        return (
          <option key={value} value={value}>
            {shown}
          </option>
        );
      })}
    </select>
  );
}

/** A selection with its label above. */
export function SelectField({ label, ...rest }: SelectProps & { label: string }) {
  return (
    <label class="stack">
      {label}
      <Select {...rest} />
    </label>
  );
}

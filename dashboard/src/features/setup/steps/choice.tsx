/** A selection among a few ways to continue. */
export function Choice<T extends string>(props: {
  name: string;
  label: string;
  options: readonly { id: T; label: string; about: string }[];
  value: T;
  /** The option that the service currently uses. */
  inUse?: T | undefined;
  onChange: (id: T) => void;
}) {
  return (
    <fieldset class="choice">
      <legend class="visually-hidden">{props.label}</legend>
      {props.options.map(({ id, label, about }) => (
        <label key={id}>
          <input
            type="radio"
            name={props.name}
            checked={props.value === id}
            onChange={() => props.onChange(id)}
          />
          <span>
            {label}
            {id === props.inUse && <small class="in-use">in use</small>}
            <small>{about}</small>
          </span>
        </label>
      ))}
    </fieldset>
  );
}

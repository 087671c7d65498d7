import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { Icon } from '../../ui/marks/icon.tsx';
import { setupQuery } from '../setup/queries.ts';

/** Warns that agents use a model which its provider does not list; nothing while it does. */
export function ModelWarning() {
  const warning = useQuery(setupQuery).data?.provider.warning ?? null;
  if (warning === null) return null;
  return (
    <p class="note warning wrap">
      <Icon name="warning" size={14} />
      <span>
        {warning}{' '}
        <Link to="/setup" search={{ step: 'provider' }}>
          Choose a model
        </Link>
      </span>
    </p>
  );
}

import { Link } from '@tanstack/react-router';
import { Page } from '../../ui/layout/page.tsx';
import { EmptyState } from '../../ui/data/panel-states.tsx';

export function PageNotFound() {
  return (
    <Page title="Not found">
      <EmptyState icon="branch" title="No track leads here">
        <p>
          The address is wrong or the page is gone. <Link to="/">To the overview</Link>
        </p>
      </EmptyState>
    </Page>
  );
}

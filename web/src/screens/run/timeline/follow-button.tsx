// Says whether the newest is followed, and changes it.

import type { Address } from '../../../app/addresses.ts';
import { Button } from '../../../parts/controls.tsx';
import { isFollowed, toggleFollow } from './following.ts';

export const FollowButton = ({ address }: { readonly address: Address }) => {
  const followed = isFollowed(address);
  return (
    <Button size="small" icon="down" keys="f" pressed={followed} onPress={toggleFollow}>
      {followed ? 'Following' : 'Follow'}
    </Button>
  );
};

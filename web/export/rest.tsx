// Says how many rows of a large run are not drawn.

export const Rest = (props: { readonly of: number; readonly most: number; readonly what: string }) =>
  props.of <= props.most ? null : (
    <p class="faint small-text src">
      and {props.of - props.most} more {props.what}, which the journal in this file has
    </p>
  );

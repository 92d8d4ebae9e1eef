import { Component, type ReactNode } from "react";
import { Problem } from "./problem.tsx";

/** Confines a fault to its screen: the navigation stays. */
export class ErrorBoundary extends Component<
  { readonly children: ReactNode },
  { readonly error: unknown }
> {
  override state = { error: undefined };

  static getDerivedStateFromError(error: unknown) {
    return { error };
  }

  override render(): ReactNode {
    const { error } = this.state;
    if (error === undefined) return this.props.children;
    return <Problem problem={error} again={() => location.reload()} />;
  }
}

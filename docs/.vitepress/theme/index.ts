/** The theme that comes with VitePress, in Farthing's colours and with the system's fonts. */
import theme from "vitepress/theme-without-fonts";
// oxlint-disable-next-line import/no-unassigned-import -- A style has nothing to assign.
import "./style.css";

export default theme;

// The theme without its own fonts: the reader's system has good ones.
import theme from 'vitepress/theme-without-fonts';
import './site.css';

export default theme;

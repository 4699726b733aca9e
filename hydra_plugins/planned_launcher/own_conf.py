"""Has Hydra look for configuration files in the `conf/` of a folder of one's own, before it looks in the program's."""

from hydra.core.config_search_path import ConfigSearchPath, SearchPathQuery
from hydra.plugins.search_path_plugin import SearchPathPlugin


class OwnConf(SearchPathPlugin):
    """Hydra asks it for every application: those of other programs are left alone."""

    def manipulate_search_path(self, search_path: ConfigSearchPath) -> None:
        """Put the folder's `conf/` before the program's."""
        from runner.configuration.project import project_folder
        from runner.configuration.settings import conf_directory

        ours = {str(conf_directory()), f"file://{conf_directory()}"}
        if any(each.provider == "main" and each.path in ours for each in search_path.get_path()):
            folder = project_folder()
            if folder is not None:
                search_path.prepend("project", f"file://{folder / 'conf'}", SearchPathQuery(provider="main"))

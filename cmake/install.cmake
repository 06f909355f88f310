# What `cmake --install` puts where, in three components, and the .deb of each (cpack -G DEB):
#   torqued   the server, torquectl, shipped robots, systemd unit, configuration        -> package torqued
#   dev       find_package(torqued): torqued::client and torqued::core, headers         -> package libtorqued-dev
#   python    the Python package                                                        -> package python3-torqued
include(CMakePackageConfigHelpers)

# Programs
install(TARGETS torqued torquectl RUNTIME COMPONENT torqued)
install(DIRECTORY deploy/robots DESTINATION ${CMAKE_INSTALL_DATADIR}/torqued COMPONENT torqued)
install(FILES deploy/systemd/torqued.service DESTINATION lib/systemd/system COMPONENT torqued)
install(FILES deploy/torqued.yaml DESTINATION ${CMAKE_INSTALL_DATADIR}/torqued COMPONENT torqued)  # the package copies it to /etc
install(FILES README.md deploy/debian/copyright DESTINATION ${CMAKE_INSTALL_DOCDIR} COMPONENT torqued)
install(FILES deploy/debian/copyright DESTINATION ${CMAKE_INSTALL_DATADIR}/doc/libtorqued-dev COMPONENT dev)
install(FILES deploy/debian/copyright DESTINATION ${CMAKE_INSTALL_DATADIR}/doc/python3-torqued COMPONENT python)
add_custom_command(OUTPUT ${CMAKE_BINARY_DIR}/changelog.gz
  COMMAND gzip -9nc ${PROJECT_SOURCE_DIR}/deploy/debian/changelog > ${CMAKE_BINARY_DIR}/changelog.gz
  DEPENDS ${PROJECT_SOURCE_DIR}/deploy/debian/changelog VERBATIM)
add_custom_target(torqued_changelog ALL DEPENDS ${CMAKE_BINARY_DIR}/changelog.gz)
install(FILES ${CMAKE_BINARY_DIR}/changelog.gz DESTINATION ${CMAKE_INSTALL_DOCDIR} COMPONENT torqued)

# Libraries: headers keep the paths that the sources include them by.
set(headers ${CMAKE_INSTALL_INCLUDEDIR}/torqued)
foreach(pair "core core" "proto proto" "proto_grpc proto_grpc" "client client")
  separate_arguments(pair)
  list(GET pair 0 target)
  list(GET pair 1 name)
  set_target_properties(torqued_${target} PROPERTIES EXPORT_NAME ${name})
endforeach()
install(TARGETS torqued_core torqued_proto torqued_proto_grpc torqued_client EXPORT torqued
  ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR} COMPONENT dev
  INCLUDES DESTINATION ${headers})
install(DIRECTORY server/core DESTINATION ${headers}/server COMPONENT dev FILES_MATCHING PATTERN "*.h")
install(FILES client/torqued/batch.h client/torqued/client.h client/torqued/options.h client/torqued/question.h
              client/torqued/status.h client/torqued/stream.h
  DESTINATION ${headers}/client/torqued COMPONENT dev)
install(DIRECTORY proto/torqued/v1 DESTINATION ${CMAKE_INSTALL_DATADIR}/torqued/proto/torqued COMPONENT dev)
install(DIRECTORY ${CMAKE_BINARY_DIR}/proto/gen/torqued/v1 DESTINATION ${headers}/torqued COMPONENT dev
  FILES_MATCHING PATTERN "*.pb.h")
install(DIRECTORY client/examples DESTINATION ${CMAKE_INSTALL_DATADIR}/doc/libtorqued-dev COMPONENT dev
  FILES_MATCHING PATTERN "*.cc")

set(package ${CMAKE_INSTALL_LIBDIR}/cmake/torqued)
install(EXPORT torqued NAMESPACE torqued:: DESTINATION ${package} COMPONENT dev)
configure_package_config_file(cmake/torqued-config.cmake.in ${CMAKE_BINARY_DIR}/torqued-config.cmake
  INSTALL_DESTINATION ${package})
write_basic_package_version_file(${CMAKE_BINARY_DIR}/torqued-config-version.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${CMAKE_BINARY_DIR}/torqued-config.cmake ${CMAKE_BINARY_DIR}/torqued-config-version.cmake
  DESTINATION ${package} COMPONENT dev)

# Python, where Debian's python3 looks
install(DIRECTORY ${CMAKE_BINARY_DIR}/python/torqued DESTINATION lib/python3/dist-packages COMPONENT python
  PATTERN "__pycache__" EXCLUDE)

# Packages
set(CPACK_GENERATOR DEB)
set(CPACK_PACKAGE_NAME torqued)
set(CPACK_PACKAGE_CONTACT "Torqued maintainers <torqued@localhost>")
set(CPACK_PACKAGING_INSTALL_PREFIX /usr)
set(CPACK_STRIP_FILES ON)
set(CPACK_OUTPUT_FILE_PREFIX ${CMAKE_BINARY_DIR}/packages)
set(CPACK_COMPONENTS_ALL torqued dev python)
set(CPACK_DEB_COMPONENT_INSTALL ON)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_ENABLE_COMPONENT_DEPENDS OFF)
set(CPACK_DEBIAN_PACKAGE_SECTION science)
set(CPACK_DEBIAN_TORQUED_PACKAGE_NAME torqued)
set(CPACK_DEBIAN_TORQUED_DESCRIPTION "robot statics and dynamics as a network service
 The server torqued answers kinematics, statics and dynamics questions about registered robots over gRPC; torquectl asks it.")
set(CPACK_COMPONENT_TORQUED_DESCRIPTION "${CPACK_DEBIAN_TORQUED_DESCRIPTION}")
set(CPACK_DEBIAN_TORQUED_PACKAGE_SHLIBDEPS ON)
set(CPACK_DEBIAN_TORQUED_PACKAGE_CONTROL_EXTRA
  "${PROJECT_SOURCE_DIR}/deploy/debian/postinst;${PROJECT_SOURCE_DIR}/deploy/debian/prerm;${PROJECT_SOURCE_DIR}/deploy/debian/postrm")
set(CPACK_DEBIAN_DEV_PACKAGE_NAME libtorqued-dev)
set(CPACK_DEBIAN_DEV_PACKAGE_SECTION libdevel)
set(CPACK_COMPONENT_DEV_DESCRIPTION "C++ client of torqued and its header-only dynamics core")
set(CPACK_DEBIAN_DEV_PACKAGE_DEPENDS "libgrpc++-dev, libprotobuf-dev, libabsl-dev, libeigen3-dev")
set(CPACK_DEBIAN_PYTHON_PACKAGE_NAME python3-torqued)
set(CPACK_DEBIAN_PYTHON_PACKAGE_SECTION python)
set(CPACK_DEBIAN_PYTHON_PACKAGE_ARCHITECTURE all)
set(CPACK_COMPONENT_PYTHON_DESCRIPTION "Python client of torqued")
set(CPACK_DEBIAN_PYTHON_PACKAGE_DEPENDS "python3, python3-grpcio, python3-protobuf, python3-numpy")
set(CPACK_DEBIAN_PYTHON_PACKAGE_SUGGESTS "python3-matplotlib")
set(CPACK_DEBIAN_PYTHON_PACKAGE_CONTROL_EXTRA "${PROJECT_SOURCE_DIR}/deploy/debian/python/prerm")
include(CPack)
